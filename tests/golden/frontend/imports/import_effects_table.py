ANY = 1
