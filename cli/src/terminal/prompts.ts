import type { Cli } from '../cli.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { printable } from './width.ts'

/** Options of prompts, which are printed to stderr, so that stdout contains only results. */
const context = ({ interrupted }: Cli) => ({
  output: process.stderr,
  signal: interrupted,
  clearPromptOnDone: false,
})

/** Whether there is a terminal for prompts. */
export const canAsk = ({ stdin }: Cli): boolean => stdin.isTTY === true && process.stderr.isTTY === true

// Loads the libraries on demand: most commands do not prompt and start faster without them.

export async function askText(cli: Cli, message: string, proposal?: string): Promise<string> {
  const { default: input } = await import('@inquirer/input')
  const answer = await input({ message, required: true, ...(proposal && { default: proposal }) }, context(cli))
  return answer.trim()
}

export async function askSecret(cli: Cli, message: string): Promise<string> {
  const { default: password } = await import('@inquirer/password')
  return (await password({ message, mask: '•' }, context(cli))).trim()
}

/** Asks for confirmation and ends the command unless the answer is yes. */
export async function mustConfirm(
  cli: Cli,
  { question, yes }: { readonly question: string; readonly yes: boolean | undefined },
): Promise<void> {
  if (yes) return
  if (!canAsk(cli))
    throw new CommandError(
      'This action cannot be undone and needs confirmation, but there is no terminal.',
      exitCodes.usage,
      'To confirm, use --yes.',
    )
  const { default: confirm } = await import('@inquirer/confirm')
  if (!(await confirm({ message: printable(question), default: false }, context(cli))))
    throw new CommandError('Cancelled.')
}
