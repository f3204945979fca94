/**
 * The filter that the kernel runs before every system call, as classic BPF: eight bytes an
 * instruction. Each check is "if the accumulator is this, go on to the verdict, else skip it", so
 * no jump is longer than the verdict behind it.
 */
import type { Architecture } from './system-calls.ts'

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number]

const LOAD_WORD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const JUMP_IF_ANY_BIT = 0x45
const RETURN = 0x06

/** Where `struct seccomp_data` keeps them; the lower half of an argument comes first on both architectures. */
const CALL_NUMBER = 0
const ARCHITECTURE = 4
const FIRST_ARGUMENT = 16

const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const refuseWith = (errno: number) => 0x00050000 | errno
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const AF_UNIX = 1
const AF_INET = 2

/** Every CLONE_NEW… flag: a thread or a process may be made, a namespace not. */
const NEW_NAMESPACE_FLAGS = 0x7e020080

const load = (offset: number): Instruction => [LOAD_WORD, 0, 0, offset]
const verdict = (value: number): Instruction => [RETURN, 0, 0, value]
const whenEqual = (operand: number, value: number) =>
  [[JUMP_IF_EQUAL, 0, 1, operand], verdict(value)] satisfies Instruction[]
const unlessEqual = (operand: number, value: number) =>
  [[JUMP_IF_EQUAL, 1, 0, operand], verdict(value)] satisfies Instruction[]

/**
 * Runs `body` only for one call; it must end in verdicts on every path but may leave another value
 * in the accumulator.
 */
const forCall = (number: number, body: readonly Instruction[]) =>
  [[JUMP_IF_EQUAL, 0, body.length, number], ...body] satisfies Instruction[]

/** A program without a relay opens no socket at all; one with it may speak to the object's socket and to itself. */
function socketRules({ socket, socketpair }: Architecture, hasRelay: boolean): Instruction[] {
  if (!hasRelay)
    return [...whenEqual(socket, refuseWith(EPERM)), ...whenEqual(socketpair, refuseWith(EPERM))]
  return forCall(socket, [
    load(FIRST_ARGUMENT),
    ...whenEqual(AF_UNIX, ALLOW),
    ...whenEqual(AF_INET, ALLOW),
    verdict(refuseWith(EAFNOSUPPORT)),
  ])
}

function instructions(architecture: Architecture, hasRelay: boolean): Instruction[] {
  const { audit, forbidden, clone, clone3, otherInterfaceFrom } = architecture
  return [
    load(ARCHITECTURE),
    ...unlessEqual(audit, KILL_PROCESS),
    load(CALL_NUMBER),
    ...(otherInterfaceFrom === undefined
      ? []
      : [[JUMP_IF_AT_LEAST, 0, 1, otherInterfaceFrom] as const, verdict(KILL_PROCESS)]),
    ...forbidden.flatMap((number) => whenEqual(number, refuseWith(EPERM))),
    // Its flags lie in memory, where a filter cannot look; told that it is unknown, the C library uses clone.
    ...whenEqual(clone3, refuseWith(ENOSYS)),
    ...forCall(clone, [
      load(FIRST_ARGUMENT),
      [JUMP_IF_ANY_BIT, 0, 1, NEW_NAMESPACE_FLAGS],
      verdict(refuseWith(EPERM)),
      verdict(ALLOW),
    ]),
    ...socketRules(architecture, hasRelay),
    verdict(ALLOW),
  ]
}

export function seccompFilter(
  architecture: Architecture,
  { hasRelay }: { hasRelay: boolean },
): Buffer {
  const program = instructions(architecture, hasRelay)
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4)
  }
  return bytes
}
