/** Debian's Postgres programs, for a small cluster in a test. They do not run as root. */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'

const isRoot = process.getuid?.() === 0
const user = isRoot ? ['--reuid=postgres', '--regid=postgres', '--init-groups'] : []

/** Programs of the newest installed version. */
export const [postgresBin = ''] = globSync('/usr/lib/postgresql/*/bin').toSorted().reverse()

/** Arguments of `setpriv` to run a program as the user postgres that ends with us. */
export const asUserPostgres = (program: string, args: readonly string[]): readonly string[] => [
  ...user,
  ...['--pdeathsig', 'KILL', '--', program, ...args],
]

/** The user postgres may have no access to the checkout; it can write here. */
export function giveToPostgres(directory: string): void {
  if (isRoot) execFileSync('chown', ['-R', 'postgres:', directory])
}
