# embed_text.cmake: writes a file's text as one C string.
# cmake -DFILE=<file> -DOUT=<file> -P tools/embed_text.cmake
# The text goes through hexadecimal digits, so that no character of it means anything to CMake.
file(READ "${FILE}" text HEX)
string(REGEX REPLACE "(..)" "\\\\x\\1" text "${text}")
string(REPLACE "\\x0a" "\\x0a\"\n\"" text "${text}")
file(WRITE "${OUT}" "\"${text}\"\n")
