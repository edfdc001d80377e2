__all__ = ["LISTED", "LACKING"]
LISTED = 100
