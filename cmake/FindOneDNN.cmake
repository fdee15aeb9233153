# Finds oneDNN 2.x or 3.x by its header and library, and defines OneDNN::OneDNN.
# oneDNN's own package file also asks for OpenCL, which we do not need; it is used only if this search fails.
find_path(OneDNN_INCLUDE_DIR dnnl.h)
find_library(OneDNN_LIBRARY dnnl)
mark_as_advanced(OneDNN_INCLUDE_DIR OneDNN_LIBRARY)

if(NOT TARGET OneDNN::OneDNN)
  if(OneDNN_INCLUDE_DIR AND OneDNN_LIBRARY)
    add_library(OneDNN::OneDNN UNKNOWN IMPORTED)
    set_target_properties(OneDNN::OneDNN PROPERTIES
      IMPORTED_LOCATION "${OneDNN_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${OneDNN_INCLUDE_DIR}")
  else()
    find_package(dnnl CONFIG QUIET)
    if(TARGET DNNL::dnnl)
      add_library(OneDNN::OneDNN INTERFACE IMPORTED)
      set_target_properties(OneDNN::OneDNN PROPERTIES INTERFACE_LINK_LIBRARIES DNNL::dnnl)
      set(OneDNN_LIBRARY DNNL::dnnl)
    endif()
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneDNN
  REQUIRED_VARS OneDNN_LIBRARY
  REASON_FAILURE_MESSAGE "install libdnnl-dev (Debian, Ubuntu), onednn-devel (Fedora) or onednn (Arch, Homebrew)")
