// libraries_x86_64.S: functions of libraries that are loaded when one of them is first called.
//
// A function here jumps to where its slot says. At first that is a piece which hands the slot to
// library_resolve (libraries.c), with all registers of arguments saved, and then jumps on; from
// then on the slot holds the function itself.

    .text
    .p2align 4
    .type library_enter, @function
library_enter:                  // the slot in r11
    .cfi_startproc
    pushq %rax
    .cfi_adjust_cfa_offset 8
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    pushq %rdx
    .cfi_adjust_cfa_offset 8
    pushq %rcx
    .cfi_adjust_cfa_offset 8
    pushq %r8
    .cfi_adjust_cfa_offset 8
    pushq %r9
    .cfi_adjust_cfa_offset 8
    subq $128, %rsp
    .cfi_adjust_cfa_offset 128
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    movq %r11, %rdi
    call library_resolve
    movq %rax, %r11
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    addq $128, %rsp
    .cfi_adjust_cfa_offset -128
    popq %r9
    .cfi_adjust_cfa_offset -8
    popq %r8
    .cfi_adjust_cfa_offset -8
    popq %rcx
    .cfi_adjust_cfa_offset -8
    popq %rdx
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    popq %rax
    .cfi_adjust_cfa_offset -8
    jmp *%r11
    .cfi_endproc

// A slot: where the function is, its name, the number of its library.
#define LIBRARY(number, file)
#define FUNCTION(name, number)                                                                     \
    .text;                                                                                         \
    .p2align 4;                                                                                    \
    .globl name;                                                                                   \
    .hidden name;                                                                                  \
    .type name, @function;                                                                         \
    name: .cfi_startproc;                                                                          \
    endbr64;                                                                                       \
    jmp *slot_##name(%rip);                                                                        \
    first_##name: leaq slot_##name(%rip), %r11;                                                    \
    jmp library_enter;                                                                             \
    .cfi_endproc;                                                                                  \
    .section .rodata;                                                                              \
    string_##name: .asciz #name;                                                                   \
    .data;                                                                                         \
    .p2align 3;                                                                                    \
    .globl slot_##name;                                                                            \
    .hidden slot_##name;                                                                           \
    slot_##name: .quad first_##name;                                                               \
    .quad string_##name;                                                                           \
    .quad number;
#include "base/loading/lazy_functions.def"

    .section .note.GNU-stack, "", @progbits
