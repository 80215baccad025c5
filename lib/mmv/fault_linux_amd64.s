#include "textflag.h"

#define SYS_mmap 9
#define PROT_READ_WRITE 3
#define MAP_PRIVATE_FIXED_ANONYMOUS 0x32

// faultHandler(signal, *siginfo, *ucontext) takes SIGBUS, in the calling convention of C, on the
// stack for signals. It uses registers that a handler need not keep, and no memory of Go's but the
// list of areas.
TEXT ·faultHandler(SB), NOSPLIT|NOFRAME, $0
	MOVQ	16(SI), R8		// si_addr
	MOVQ	·areas(SB), AX
next:
	TESTQ	AX, AX
	JZ	chain
	CMPQ	R8, 0(AX)		// area.from
	JCS	skip
	CMPQ	R8, 8(AX)		// area.to
	JCS	found
skip:
	MOVQ	16(AX), AX		// area.next
	JMP	next
found:
	PUSHQ	DI
	PUSHQ	SI
	PUSHQ	DX
	MOVQ	R8, DI
	ANDQ	$~4095, DI
	MOVL	$4096, SI
	MOVL	$PROT_READ_WRITE, DX
	MOVL	$MAP_PRIVATE_FIXED_ANONYMOUS, R10
	MOVL	$-1, R8
	MOVL	$0, R9
	MOVL	$SYS_mmap, AX
	SYSCALL
	POPQ	DX
	POPQ	SI
	POPQ	DI
	CMPQ	AX, $0xfffffffffffff001
	JCC	chain			// no memory
	RET				// the access is made again
chain:
	MOVQ	·chained(SB), AX	// the runtime's handler
	JMP	AX

// func handlerPC() uintptr
TEXT ·handlerPC(SB), NOSPLIT, $0-8
	LEAQ	·faultHandler(SB), AX
	MOVQ	AX, ret+0(FP)
	RET
