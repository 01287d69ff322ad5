// bundle.c: the page's bundle, as the build of web/ has left it.
#include "show/show.h"

#if defined(ZWANG_BUNDLE) && defined(__ELF__)

// The assembler takes the file as it is; a zero follows, so that it is a string.
__asm__(".section .rodata\n"
        ".hidden zwang_page_bundle\n"
        ".global zwang_page_bundle\n"
        "zwang_page_bundle:\n"
        ".incbin \"" ZWANG_BUNDLE "\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char zwang_page_bundle[] __attribute__((visibility("hidden")));

Str show_page_bundle(void)
{
    return str_of(zwang_page_bundle);
}

#else

Str show_page_bundle(void)
{
    return str_of("");
}

#endif
