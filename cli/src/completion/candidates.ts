import type { Command, Option } from 'commander'

/** Something that could come next on the command line. */
export type Candidate = { readonly value: string; readonly description: string }

/** Where in the program the words have led to. */
type Place = {
  readonly command: Command
  /** An option that waits for its value. */
  readonly awaiting: Option | undefined
  /** How many arguments the command has been given. */
  readonly given: number
}

/**
 * What the last of these words could become; it may be empty. Nothing is known of words that are
 * not of a fixed set: shells then offer names of files.
 */
export function candidates(program: Command, words: readonly string[]): Candidate[] {
  const typed = words.at(-1) ?? ''
  const { command, awaiting, given } = words.slice(0, -1).reduce(step, {
    command: program,
    awaiting: undefined,
    given: 0,
  } as Place)
  if (awaiting) return valuesOf(awaiting, typed)
  const [, flag, value] = /^(--[^=]+)=(.*)$/.exec(typed) ?? []
  const named = flag && optionCalled(command, flag)
  if (named) return valuesOf(named, value ?? '').map((each) => prefixed(`${flag}=`, each))
  if (typed.startsWith('-')) return starting(optionsOf(command).map(toCandidate), typed)
  const choices = argumentAt(command, given)?.argChoices ?? []
  const next = given === 0 ? subcommandsOf(command) : []
  return starting(
    [...next, ...choices.map((choice) => ({ value: choice, description: '' }))],
    typed,
  )
}

function step(place: Place, word: string): Place {
  if (place.awaiting) return { ...place, awaiting: undefined }
  if (word.startsWith('-')) {
    const option = optionCalled(place.command, word)
    return option?.required || option?.optional ? { ...place, awaiting: option } : place
  }
  const child =
    place.given === 0 ? place.command.commands.find((each) => each.name() === word) : undefined
  if (child) return { command: child, awaiting: undefined, given: 0 }
  return { ...place, given: place.given + 1 }
}

/** The last argument may stand for all that follow. */
function argumentAt({ registeredArguments }: Command, index: number) {
  const last = registeredArguments.at(-1)
  return registeredArguments[index] ?? (last?.variadic ? last : undefined)
}

/** Of a value with commas, the part behind the last one is still being typed. */
function valuesOf({ argChoices, parseArg }: Option, typed: string): Candidate[] {
  const choices = (argChoices ?? []).map((value) => ({ value, description: '' }))
  const before = parseArg && argChoices ? typed.slice(0, typed.lastIndexOf(',') + 1) : ''
  return starting(choices, typed.slice(before.length)).map((each) => prefixed(before, each))
}

const prefixed = (prefix: string, { value, description }: Candidate): Candidate => ({
  value: prefix + value,
  description,
})

const starting = (all: readonly Candidate[], typed: string) =>
  all.filter(({ value }) => value.startsWith(typed))

const optionCalled = (command: Command, flag: string) =>
  optionsOf(command).find(({ long, short }) => flag === long || flag === short)

function optionsOf(command: Command): Option[] {
  const help = command.createHelp()
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
}

const toCandidate = ({ long, short, description }: Option): Candidate => ({
  value: long ?? short ?? '',
  description,
})

const subcommandsOf = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((child) => ({ value: child.name(), description: child.description() }))
