/**
 * The admin commands and their usage. Their code is loaded on demand, because loading all of it, with the whole service
 * as a dependency, takes a second or two.
 */
import type { CellCommand, Command } from './command.ts'

/** Related commands with their usage. */
type Family<Kind> = {
  readonly usage: string
  readonly find: (name: string) => Promise<Kind | undefined>
}

/** The first word of a usage line is the name of the command. */
function familyOf<Kind>(usage: string, load: () => Promise<Readonly<Record<string, Kind>>>): Family<Kind> {
  const names = [...usage.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name)
  return { usage, find: async (name) => (names.includes(name) ? (await load())[name] : undefined) }
}

export const families: readonly Family<Command>[] = [
  familyOf(
    `\
  create-organization --name NAME [--id ID] [--owner EMAIL] [--expires-at TIME|never]
                                      creates an organization and its first token, with every scope; it expires in a
                                      year unless a time is given. With --owner, also prints a link with which this
                                      person becomes the first owner
  list-organizations                  lists all organizations
  enable-public-playback ORGANIZATION
                                      unprotected videos can be played without a token
  disable-public-playback ORGANIZATION
                                      every video requires a playback token (default)
  suspend-organization ORGANIZATION   makes the organization read-only until it is resumed
  resume-organization ORGANIZATION    ends the suspension, unless a move caused it
  delete-organization --confirm ORGANIZATION [--days N | --now] [--despite-legal-hold]
                                      ends the service of an organization at once, and deletes all of its data after
                                      7 days, or after N days
  delete-organization --cancel ORGANIZATION
                                      returns it to service, until its data is deleted
  set-embed-origins ORGANIZATION [--origin ORIGIN…]
                                      sets the sites that may embed the player; none given: all sites
  set-quota ORGANIZATION [--stored-bytes N] [--assets N] [--encoded-minutes N] [--open-sessions N]
                                      sets limits, and prints all limits and the current usage; N is a whole
                                      number, or none for no limit; minutes are per calendar month (UTC)
  count-edge-log FILE                 adds the deliveries in an access log of an edge to the usage of organizations,
                                      without those that the API has counted; each log is counted once
  set-webhook-networks ORGANIZATION [--network NETWORK:PORT…]
                                      sets the private networks and ports that its webhooks may use, such as
                                      10.1.0.0/16:8080; none given: only the public internet
`,
    async () => (await import('./organization-commands.ts')).organizationCommands,
  ),
  familyOf(
    `\
  create-token ORGANIZATION --name NAME --scope SCOPE… [--expires-at TIME]
                                      creates a token and prints it once
  list-tokens ORGANIZATION            lists the tokens of the organization
  revoke-token ORGANIZATION TOKEN_ID [--descendants]
                                      revokes a token, also with everything that was created with it
`,
    async () => (await import('./token-commands.ts')).tokenCommands,
  ),
  familyOf(
    `\
  invite-owner ORGANIZATION EMAIL     prints a link with which a person becomes an owner, once, within 7 days
  recovery-link ORGANIZATION EMAIL    prints a link with which a member sets a new password or passkey, once, within
                                      24 hours
`,
    async () => (await import('./people-commands.ts')).peopleCommands,
  ),
  familyOf(
    `\
  verify-audit [ORGANIZATION]         verifies the audit log, or all of them, and prints the first broken entry; exits
                                      with 0 only if none is broken. Compare "last" with a published one
`,
    async () => (await import('./audit-commands.ts')).auditCommands,
  ),
  familyOf(
    `\
  retry-failed-jobs [--job NAME]      enqueues permanently failed jobs again and prints their number
  retry-failed-assets [ORGANIZATION]  retries videos whose processing failed for internal reasons
  queue-embeddings [ORGANIZATION]     sends the texts of all videos to the embeddings server that have no vector of
                                      EMBEDDINGS_MODEL, in all organizations or in one; workers do it in the background
`,
    async () => (await import('./job-commands.ts')).jobCommands,
  ),
  familyOf(
    `\
  rotate-master-key ORGANIZATION      protects new videos with a new master key
  rewrap-master-keys                  wraps all master keys and webhook secrets with the first key of
                                      KEY_ENCRYPTION_KEYS
`,
    async () => (await import('./key-commands.ts')).keyCommands,
  ),
  familyOf(
    `\
  backup-storage                      copies all referenced objects to the buckets of BACKUP_STORAGE_…;
                                      existing copies are kept
  restore-storage                     copies them back and links assets to the copies
  reconcile-storage [--backup] [--relink] [--retry] [--delete-orphans [--orphans-max N]]
                                      compares database and buckets in both directions; exits with 0 only
                                      if they are consistent
    --backup                          checks the buckets of the backup instead
    --relink                          first links assets to the copies of their files, which have other
                                      versions
    --retry                           processes assets again whose missing objects can be made from the
                                      source file
    --delete-orphans                  deletes objects without an asset that are older than a day; in a
                                      backup, those first found by --delete-orphans 30 days ago
    --orphans-max N                   limits how many may be deleted; default: a tenth of all
  index-search [ORGANIZATION]         makes videos searchable that are older than the search, in all organizations or in
                                      one; continues after an interruption
  scrub-storage                       reads all published files, compares them with their checksums, and enqueues the
                                      repair of damaged ones; exits with 0 only if none is damaged
`,
    async () => (await import('./storage-commands.ts')).storageCommands,
  ),
]

/** Commands for all cells, which need none of the settings of a cell. */
export const cellFamily: Family<CellCommand> = familyOf(
  `\
  router-configuration                prints the nginx configuration of the router, from CELLS_FILE
  move-organization ORGANIZATION --to CELL [--no-follow]
                                      moves it to another cell; resumes an interrupted run
  cancel-move ORGANIZATION            cancels a move before everything has arrived; the organization
                                      stays in its old cell
  delete-moved-organization ORGANIZATION --cell CELL
                                      deletes the data that a moved organization left in its old cell
`,
  async () => (await import('./cell-commands.ts')).cellCommands,
)
