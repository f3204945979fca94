/**
 * What commands there are, and what is told of them. What they do is loaded for the one that is asked
 * for: with all of the service behind them, to load them all takes a second or two.
 */
import type { CellCommand, Command } from './command.ts'

/** Commands about one thing, with the lines that tell what they do. */
type Family<Kind> = {
  readonly usage: string
  readonly find: (name: string) => Promise<Kind | undefined>
}

function familyOf<Kind, Name extends string>(
  usage: string,
  names: readonly Name[],
  load: () => Promise<Readonly<Record<NoInfer<Name>, Kind>>>,
): Family<Kind> {
  const find = async (wanted: string) => {
    const name = names.find((known) => known === wanted)
    return name && (await load())[name]
  }
  return { usage, find }
}

export const families: readonly Family<Command>[] = [
  familyOf(
    `\
  create-organization --name NAME [--id ID]     makes one and its first token, with every scope
  list-organizations
  open-organization ORGANIZATION                its videos without content protection are watched without a token
  close-organization ORGANIZATION               every video needs a token again; so it is from the start
  hold-organization ORGANIZATION                has nothing of it written, by anybody, until it is released; it is read as before
  release-organization ORGANIZATION             everything goes on; not of one that is being moved, or lives in another cell
  set-embed-origins ORGANIZATION [--origin ORIGIN…]
                                                whose pages may hold the player in a frame; without any, everybody's
`,
    [
      'create-organization',
      'list-organizations',
      'open-organization',
      'close-organization',
      'hold-organization',
      'release-organization',
      'set-embed-origins',
    ],
    async () => (await import('./organization-commands.ts')).organizationCommands,
  ),
  familyOf(
    `\
  create-token ORGANIZATION --name NAME --scope SCOPE… [--expires-at TIME]
  list-tokens ORGANIZATION
  revoke-token ORGANIZATION TOKEN_ID
`,
    ['create-token', 'list-tokens', 'revoke-token'],
    async () => (await import('./token-commands.ts')).tokenCommands,
  ),
  familyOf(
    `\
  repeat-failed-jobs [--job NAME]               promises jobs that failed for good once more, and says how many
  retry-failed-assets [ORGANIZATION]            retries videos whose processing failed through no fault of the file
`,
    ['repeat-failed-jobs', 'retry-failed-assets'],
    async () => (await import('./job-commands.ts')).jobCommands,
  ),
  familyOf(
    `\
  rotate-master-key ORGANIZATION                has videos protected with a new master key from now on
  rewrap-master-keys                            has all master keys, and the secrets of webhooks, under the first of KEY_ENCRYPTION_KEYS
`,
    ['rotate-master-key', 'rewrap-master-keys'],
    async () => (await import('./key-commands.ts')).keyCommands,
  ),
  familyOf(
    `\
  backup-storage                                copies what the database points at to the buckets of BACKUP_STORAGE_…; what is there is kept
  restore-storage                               copies it back, and has assets point at the copies
  reconcile-storage [--backup] [--repin] [--retry] [--free-orphans [--orphans-max N]]
                                                compares database and buckets, both ways; ends with 0 only if they agree
                     --backup                   the buckets of the backup instead
                     --repin                    first has assets point at copies of their files, which have other versions
                     --retry                    has made again what is missing and can be made of the file
                     --free-orphans             deletes what belongs to no asset of the organizations here and is older than a day;
                                                in a backup what a pass with --free-orphans found 30 days ago, and is still so
                     --orphans-max N            … if there are at most N of them; otherwise, at most a tenth of all
`,
    ['backup-storage', 'restore-storage', 'reconcile-storage'],
    async () => (await import('./storage-commands.ts')).storageCommands,
  ),
]

/** They see to all cells at once, and need none of the settings of one. */
export const cellFamily: Family<CellCommand> = familyOf(
  `\
  router-configuration                          prints the configuration of the router, for nginx, from the directory CELLS_FILE
  move-organization ORGANIZATION --to CELL [--no-follow]
                                                moves it to another cell; goes on where an earlier run was stopped
  abandon-move ORGANIZATION                     gives up a move that has not arrived; the organization stays where it is
  forget-organization ORGANIZATION --cell CELL  deletes what it left in a cell when it moved
`,
  ['router-configuration', 'move-organization', 'abandon-move', 'forget-organization'],
  async () => (await import('./cell-commands.ts')).cellCommands,
)
