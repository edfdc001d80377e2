# cmake -DIN=FILE -DOUT=FILE -P EmbedText.cmake: a text file as a C string.
file(READ ${IN} text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REGEX REPLACE "([^\n]*)\n" "\"\\1\\\\n\"\n" text "${text}")
file(WRITE ${OUT} "${text}")
