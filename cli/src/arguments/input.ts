import { readFile } from 'node:fs/promises'
import type { Cli } from '../cli.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'

/** Maximum size of the input, far above the size of any text that the service accepts. */
const INPUT_BYTES_MAX = 16 * 1024 * 1024

/** Reads a file, or stdin for `-`. */
export async function readInput(cli: Cli, file: string): Promise<string> {
  if (file === '-') return readStdin(cli)
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.message}`
    throw new CommandError(`${file} ${why}.`, exitCodes.usage)
  })
}

export async function readStdin({ stdin, interrupted }: Cli): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  interrupted.addEventListener('abort', () => stdin.destroy(), { once: true })
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > INPUT_BYTES_MAX) throw new CommandError('The input is larger than 16 MiB.', exitCodes.usage)
  }
  return Buffer.concat(chunks).toString('utf8')
}
