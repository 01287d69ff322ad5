# embed_models.cmake: writes the gallery as rows MODEL(name, title, text) of a .def file.
# cmake -DMODELS=<folder> -DOUT=<file> -P tools/embed_models.cmake
# Texts go through hexadecimal digits, so that no character of theirs means anything to CMake.
file(GLOB files "${MODELS}/*.zw")
list(SORT files)
set(rows "// Made from models/*.zw by tools/embed_models.cmake.\n")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  file(STRINGS "${file}" line REGEX "^system " LIMIT_COUNT 1 ENCODING UTF-8)
  if(NOT line MATCHES "^system [^\"]*\"([^\"]+)\"")
    message(FATAL_ERROR "${file} has no line: system NAME \"a title\"")
  endif()
  string(REPLACE "\\;" ";" title "${CMAKE_MATCH_1}") # CMake's own escape
  file(READ "${file}" text HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" text "${text}")
  string(REPLACE "\\x0a" "\\x0a\"\n      \"" text "${text}")
  string(APPEND rows "MODEL(\"${name}\", \"${title}\",\n      \"${text}\")\n")
endforeach()
file(WRITE "${OUT}" "${rows}")
