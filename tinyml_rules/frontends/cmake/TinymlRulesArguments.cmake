# How the functions of TinymlRulesConfig.cmake read their arguments, and refuse wrong ones.

# Appends to a list the words of the command line for the arguments that were given, by the lists of
# names that begin with a prefix.
macro(_tinyml_append_options list prefix)
  foreach(word IN LISTS ${prefix}_WORDS ${prefix}_LISTS ${prefix}_SWITCHES ${prefix}_TURNED_OFF)
    string(TOLOWER "${word}" option)
    string(REPLACE "_" "-" option "${option}")
    if(word IN_LIST ${prefix}_SWITCHES)
      if(arg_${word})
        list(APPEND ${list} "--${option}")
      endif()
    elseif(word IN_LIST ${prefix}_TURNED_OFF)
      if(DEFINED arg_${word} AND NOT arg_${word})
        list(APPEND ${list} "--no-${option}")
      endif()
    elseif(word IN_LIST ${prefix}_LISTS)
      foreach(value IN LISTS arg_${word})
        list(APPEND ${list} "--${option}" "${value}")
      endforeach()
    elseif(DEFINED arg_${word})
      list(APPEND ${list} "--${option}" "${arg_${word}}")
    endif()
  endforeach()
  _tinyml_append_paths(${list} ${${prefix}_PATHS})
endmacro()

# The same for arguments that are paths, which may begin at the folder of the project.
macro(_tinyml_append_paths list)
  foreach(word IN ITEMS ${ARGN})
    string(TOLOWER "--${word}" option)
    foreach(path IN LISTS arg_${word})
      get_filename_component(path "${path}" ABSOLUTE)
      list(APPEND ${list} "${option}" "${path}")
    endforeach()
  endforeach()
endmacro()

# Appends to a list the files that the arguments name.
macro(_tinyml_append_files list prefix)
  foreach(word IN LISTS ${prefix}_PATHS)
    if(DEFINED arg_${word})
      get_filename_component(path "${arg_${word}}" ABSOLUTE)
      list(APPEND ${list} "${path}")
    endif()
  endforeach()
endmacro()

# Ends with an error where a word is unknown, has no value, or is not there although it has to be.
macro(_tinyml_check_arguments where)
  if(DEFINED arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${where}: error: unknown '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(DEFINED arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${where}: error: no value for ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  foreach(word IN ITEMS ${ARGN})
    if(NOT DEFINED arg_${word})
      set(hint "")
      if(word STREQUAL "TARGET")
        _tinyml_likely_targets(hint)
      endif()
      message(FATAL_ERROR "${where}: error: lacks ${word}${hint}")
    endif()
  endforeach()
endmacro()

# Ends with an error where a path would be two words of a list.
macro(_tinyml_check_path where path)
  if("${path}" MATCHES ";")
    message(FATAL_ERROR "${where}: error: '${path}' is no path for CMake, expected one without ';'")
  endif()
endmacro()

# The targets that the project's compiler and flags are for, as the hint of an error.
function(_tinyml_likely_targets hint)
  get_directory_property(flags COMPILE_OPTIONS)
  list(JOIN flags " " flags)
  execute_process(
    COMMAND ${TinymlRules_COMMAND} targets
      --for-compiler "${CMAKE_C_COMPILER} ${CMAKE_C_COMPILER_TARGET} ${CMAKE_C_FLAGS} ${flags}"
    OUTPUT_VARIABLE targets OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(targets)
    string(REPLACE "\n" " or TARGET " targets "${targets}")
    set(${hint} "\n  hint: write TARGET ${targets}" PARENT_SCOPE)
  elseif(NOT CMAKE_CROSSCOMPILING)
    set(${hint} "\n  hint: for this computer write TARGET host" PARENT_SCOPE)
  endif()
endfunction()
