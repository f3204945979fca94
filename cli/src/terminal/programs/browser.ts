import { spawn } from 'node:child_process'
import { CommandError, exitCodes } from '../../exit-codes.ts'

/** The program that opens a URL, with its arguments. Windows would read an ampersand in an argument of `start`. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens a URL in the browser of the user. Resolves when the browser was asked to. */
export async function openInBrowser(url: string): Promise<void> {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, new URL(url).href], { stdio: 'ignore', detached: true })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', () => reject(new CommandError(`Cannot start ${program}.`, exitCodes.failed, `Open ${url}`)))
  })
  child.unref()
}
