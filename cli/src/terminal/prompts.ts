import type { Cli } from '../cli.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { printable } from './width.ts'

/** Questions are asked on stderr, so that stdout carries results alone. */
const context = ({ interrupted }: Cli) => ({
  output: process.stderr,
  signal: interrupted,
  clearPromptOnDone: false,
})

/** Whether there is somebody to be asked. */
export const canAsk = ({ stdin }: Cli): boolean =>
  stdin.isTTY === true && process.stderr.isTTY === true

// Most commands ask nothing: they start faster without the library.
const library = () => import('@inquirer/prompts')

export async function askText(cli: Cli, message: string, proposal?: string): Promise<string> {
  const { input } = await library()
  const answer = await input(
    { message, required: true, ...(proposal && { default: proposal }) },
    context(cli),
  )
  return answer.trim()
}

export async function askSecret(cli: Cli, message: string): Promise<string> {
  const { password } = await library()
  return (await password({ message, mask: '•' }, context(cli))).trim()
}

/** Before something that cannot be taken back. Ends the command unless the answer is yes. */
export async function mustConfirm(
  cli: Cli,
  { question, yes }: { readonly question: string; readonly yes: boolean | undefined },
): Promise<void> {
  if (yes) return
  if (!canAsk(cli))
    throw new CommandError(
      'This cannot be taken back, and there is no terminal to ask at.',
      exitCodes.usage,
      'Say that you mean it: --yes',
    )
  const { confirm } = await library()
  if (!(await confirm({ message: printable(question), default: false }, context(cli))))
    throw new CommandError('Nothing was done.')
}
