# Names that exchange their objects on unknown conditions, again and again: the
# objects that they may name stay few, and are known as long as nothing changes
# them.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import strange

FIRST = A = [1]
SECOND = B = {}
THIRD = C = [3]
if strange.value(0):
    A, B, C = B, C, A
if strange.value(1):
    A, B, C = B, C, A
if strange.value(2):
    A, B, C = B, C, A
if strange.value(3):
    A, B, C = B, C, A
if strange.value(4):
    A, B, C = B, C, A
if strange.value(5):
    A, B, C = B, C, A
if strange.value(6):
    A, B, C = B, C, A
if strange.value(7):
    A, B, C = B, C, A
if strange.value(8):
    A, B, C = B, C, A
if strange.value(9):
    A, B, C = B, C, A
if strange.value(10):
    A, B, C = B, C, A
if strange.value(11):
    A, B, C = B, C, A
if strange.value(12):
    A, B, C = B, C, A
if strange.value(13):
    A, B, C = B, C, A
if strange.value(14):
    A, B, C = B, C, A
if strange.value(15):
    A, B, C = B, C, A
if strange.value(16):
    A, B, C = B, C, A
if strange.value(17):
    A, B, C = B, C, A
if strange.value(18):
    A, B, C = B, C, A
if strange.value(19):
    A, B, C = B, C, A
if strange.value(20):
    A, B, C = B, C, A
if strange.value(21):
    A, B, C = B, C, A
if strange.value(22):
    A, B, C = B, C, A
if strange.value(23):
    A, B, C = B, C, A
if strange.value(24):
    A, B, C = B, C, A
if strange.value(25):
    A, B, C = B, C, A
if strange.value(26):
    A, B, C = B, C, A
if strange.value(27):
    A, B, C = B, C, A
if strange.value(28):
    A, B, C = B, C, A
if strange.value(29):
    A, B, C = B, C, A
if strange.value(30):
    A, B, C = B, C, A
if strange.value(31):
    A, B, C = B, C, A
if strange.value(32):
    A, B, C = B, C, A
if strange.value(33):
    A, B, C = B, C, A
if strange.value(34):
    A, B, C = B, C, A
if strange.value(35):
    A, B, C = B, C, A
if strange.value(36):
    A, B, C = B, C, A
if strange.value(37):
    A, B, C = B, C, A
if strange.value(38):
    A, B, C = B, C, A
if strange.value(39):
    A, B, C = B, C, A
# CHECK-DAG: KEPT = ([1], {}, [3])
KEPT = list(FIRST), dict(SECOND), list(THIRD)
# CHECK-DAG: A: unknown
# CHECK-DAG: LENGTH: unknown
C.append(4)
LENGTH = len(FIRST)

# Other objects each time: at some number they are given up, and changed ones
# stay unknown.
# CHECK-DAG: LAST: unknown
# CHECK-DAG: OTHER = [0]
OTHER = [0]
X = []
if strange.value(0):
    X = [X, 0]
if strange.value(1):
    X = [X, 1]
if strange.value(2):
    X = [X, 2]
if strange.value(3):
    X = [X, 3]
if strange.value(4):
    X = [X, 4]
if strange.value(5):
    X = [X, 5]
if strange.value(6):
    X = [X, 6]
if strange.value(7):
    X = [X, 7]
if strange.value(8):
    X = [X, 8]
if strange.value(9):
    X = [X, 9]
if strange.value(10):
    X = [X, 10]
if strange.value(11):
    X = [X, 11]
if strange.value(12):
    X = [X, 12]
if strange.value(13):
    X = [X, 13]
if strange.value(14):
    X = [X, 14]
if strange.value(15):
    X = [X, 15]
if strange.value(16):
    X = [X, 16]
if strange.value(17):
    X = [X, 17]
if strange.value(18):
    X = [X, 18]
if strange.value(19):
    X = [X, 19]
if strange.value(20):
    X = [X, 20]
if strange.value(21):
    X = [X, 21]
if strange.value(22):
    X = [X, 22]
if strange.value(23):
    X = [X, 23]
if strange.value(24):
    X = [X, 24]
if strange.value(25):
    X = [X, 25]
if strange.value(26):
    X = [X, 26]
if strange.value(27):
    X = [X, 27]
if strange.value(28):
    X = [X, 28]
if strange.value(29):
    X = [X, 29]
if strange.value(30):
    X = [X, 30]
if strange.value(31):
    X = [X, 31]
if strange.value(32):
    X = [X, 32]
if strange.value(33):
    X = [X, 33]
if strange.value(34):
    X = [X, 34]
if strange.value(35):
    X = [X, 35]
if strange.value(36):
    X = [X, 36]
if strange.value(37):
    X = [X, 37]
if strange.value(38):
    X = [X, 38]
if strange.value(39):
    X = [X, 39]
if strange.value(40):
    X = [X, 40]
if strange.value(41):
    X = [X, 41]
if strange.value(42):
    X = [X, 42]
if strange.value(43):
    X = [X, 43]
if strange.value(44):
    X = [X, 44]
if strange.value(45):
    X = [X, 45]
if strange.value(46):
    X = [X, 46]
if strange.value(47):
    X = [X, 47]
if strange.value(48):
    X = [X, 48]
if strange.value(49):
    X = [X, 49]
if strange.value(50):
    X = [X, 50]
if strange.value(51):
    X = [X, 51]
if strange.value(52):
    X = [X, 52]
if strange.value(53):
    X = [X, 53]
if strange.value(54):
    X = [X, 54]
if strange.value(55):
    X = [X, 55]
if strange.value(56):
    X = [X, 56]
if strange.value(57):
    X = [X, 57]
if strange.value(58):
    X = [X, 58]
if strange.value(59):
    X = [X, 59]
if strange.value(60):
    X = [X, 60]
if strange.value(61):
    X = [X, 61]
if strange.value(62):
    X = [X, 62]
if strange.value(63):
    X = [X, 63]
if strange.value(64):
    X = [X, 64]
if strange.value(65):
    X = [X, 65]
if strange.value(66):
    X = [X, 66]
if strange.value(67):
    X = [X, 67]
if strange.value(68):
    X = [X, 68]
if strange.value(69):
    X = [X, 69]
if strange.value(70):
    X = [X, 70]
if strange.value(71):
    X = [X, 71]
if strange.value(72):
    X = [X, 72]
if strange.value(73):
    X = [X, 73]
if strange.value(74):
    X = [X, 74]
if strange.value(75):
    X = [X, 75]
if strange.value(76):
    X = [X, 76]
if strange.value(77):
    X = [X, 77]
if strange.value(78):
    X = [X, 78]
if strange.value(79):
    X = [X, 79]
if strange.value(80):
    X = [X, 80]
if strange.value(81):
    X = [X, 81]
if strange.value(82):
    X = [X, 82]
if strange.value(83):
    X = [X, 83]
if strange.value(84):
    X = [X, 84]
if strange.value(85):
    X = [X, 85]
if strange.value(86):
    X = [X, 86]
if strange.value(87):
    X = [X, 87]
if strange.value(88):
    X = [X, 88]
if strange.value(89):
    X = [X, 89]
if strange.value(90):
    X = [X, 90]
if strange.value(91):
    X = [X, 91]
if strange.value(92):
    X = [X, 92]
if strange.value(93):
    X = [X, 93]
if strange.value(94):
    X = [X, 94]
if strange.value(95):
    X = [X, 95]
if strange.value(96):
    X = [X, 96]
if strange.value(97):
    X = [X, 97]
if strange.value(98):
    X = [X, 98]
if strange.value(99):
    X = [X, 99]
if strange.value(100):
    X = [X, 100]
if strange.value(101):
    X = [X, 101]
if strange.value(102):
    X = [X, 102]
if strange.value(103):
    X = [X, 103]
if strange.value(104):
    X = [X, 104]
if strange.value(105):
    X = [X, 105]
if strange.value(106):
    X = [X, 106]
if strange.value(107):
    X = [X, 107]
if strange.value(108):
    X = [X, 108]
if strange.value(109):
    X = [X, 109]
if strange.value(110):
    X = [X, 110]
if strange.value(111):
    X = [X, 111]
if strange.value(112):
    X = [X, 112]
if strange.value(113):
    X = [X, 113]
if strange.value(114):
    X = [X, 114]
if strange.value(115):
    X = [X, 115]
if strange.value(116):
    X = [X, 116]
if strange.value(117):
    X = [X, 117]
if strange.value(118):
    X = [X, 118]
if strange.value(119):
    X = [X, 119]
if strange.value(120):
    X = [X, 120]
if strange.value(121):
    X = [X, 121]
if strange.value(122):
    X = [X, 122]
if strange.value(123):
    X = [X, 123]
if strange.value(124):
    X = [X, 124]
if strange.value(125):
    X = [X, 125]
if strange.value(126):
    X = [X, 126]
if strange.value(127):
    X = [X, 127]
if strange.value(128):
    X = [X, 128]
if strange.value(129):
    X = [X, 129]
if strange.value(130):
    X = [X, 130]
if strange.value(131):
    X = [X, 131]
if strange.value(132):
    X = [X, 132]
if strange.value(133):
    X = [X, 133]
if strange.value(134):
    X = [X, 134]
if strange.value(135):
    X = [X, 135]
if strange.value(136):
    X = [X, 136]
if strange.value(137):
    X = [X, 137]
if strange.value(138):
    X = [X, 138]
if strange.value(139):
    X = [X, 139]
if strange.value(140):
    X = [X, 140]
if strange.value(141):
    X = [X, 141]
if strange.value(142):
    X = [X, 142]
if strange.value(143):
    X = [X, 143]
if strange.value(144):
    X = [X, 144]
if strange.value(145):
    X = [X, 145]
if strange.value(146):
    X = [X, 146]
if strange.value(147):
    X = [X, 147]
if strange.value(148):
    X = [X, 148]
if strange.value(149):
    X = [X, 149]
LAST = X
X.append(1)

# A tuple that holds itself twice, many times over.
# CHECK-DAG: T: unknown
# CHECK-DAG: FEWER = 2
T = ([1],)
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
T = T, T
strange.touch(T)
FEWER = len(((FIRST, 1), 2))
