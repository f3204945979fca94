/**
 * The Postgres of a stack, backed up with the scripts of deploy/backup while in use, lost, and restored from the
 * backup.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, cpSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { poll, root, runStack, type StackEnv, Superuser, stopChild } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'

const run = promisify(execFile)

const ROLE = 'reelkeep_backup'
const PASSWORD = 'development-only-backup'
const SYNC_SECONDS_MAX = 30
const REPLAY_SECONDS_MAX = 120

/** Postgres and its scripts do not run as root; Debian's package has a user for them. */
const isRoot = process.getuid?.() === 0
const asPostgres = ['--reuid=postgres', '--regid=postgres', '--init-groups']

export class BackedUpPostgres implements AsyncDisposable {
  readonly #env: StackEnv
  /** The disk of the backup machine, which survives the loss of the database. */
  readonly #disk = mkdtempSync(join(tmpdir(), 'reelkeep-backup-'))
  #receiver: ChildProcess | undefined
  #generation = 0

  private constructor(env: StackEnv) {
    this.#env = env
  }

  static async open(env: StackEnv): Promise<BackedUpPostgres> {
    const one = new BackedUpPostgres(env)
    // The user postgres may have no access to the checkout.
    cpSync(join(root, 'deploy/backup'), join(one.#disk, 'bin'), { recursive: true })
    if (isRoot) await run('chown', ['-R', 'postgres:', one.#disk])
    await using superuser = await Superuser.open(env)
    await superuser.query(`create role ${ROLE} replication login password '${PASSWORD}'`)
    return one
  }

  /** Starts the backup. From then on, each commit waits until the backup has received it. */
  async begin(): Promise<void> {
    this.#generation += 1
    await using superuser = await Superuser.open(this.#env)
    this.#receiver = this.#start('receive-wal', this.#directory)
    await this.#waitUntilConnected(superuser)
    await superuser.query(`alter system set synchronous_standby_names = 'reelkeep_wal'`)
    await superuser.query('select pg_reload_conf()')
    await this.#run('base-backup', this.#directory)
    const [row] = await superuser.query<{ sync_state: string }>(
      `select sync_state from pg_stat_replication where application_name = 'reelkeep_wal'`,
    )
    if (row?.sync_state !== 'sync') throw new Error(`receive-wal is ${row?.sync_state}`)
  }

  /** Makes another base backup and deletes the earlier ones, so that the restore uses a backup made under load. */
  async copyAgain(): Promise<void> {
    await this.#run('base-backup', this.#directory, '1')
  }

  /** Stops receiving WAL, because the server is lost. */
  forget(): Promise<void> {
    return this.#stopReceiver()
  }

  /** Kills Postgres with `kill -9` and deletes its data. The backup stays. */
  async lose(): Promise<void> {
    await runStack('fault', ['postgres-kill'])
    await this.#stopReceiver()
    // Cleans up after the killed server.
    await runStack('down', ['postgres'])
    rmSync(await this.#data(), { recursive: true, force: true })
  }

  /** Restores the backup to an empty server of the same stack. Resolves when Postgres accepts connections. */
  async restore(): Promise<void> {
    await this.#stopReceiver()
    await runStack('up', ['postgres'])
    await runStack('down', ['postgres'])
    const data = await this.#data()
    await run('find', [data, '-mindepth', '1', '-delete'])
    await this.#run('restore', this.#directory, data)
    // `stack/up` fails while the server is still replaying WAL, so it is repeated.
    await poll('Postgres', REPLAY_SECONDS_MAX, () =>
      runStack('up', ['postgres']).then(
        () => true,
        () => false,
      ),
    )
  }

  async #data(): Promise<string> {
    const link = join(root, '.stack', stackEnvironment.STACK_NAME, 'postgres/data')
    return (await run('readlink', ['-m', link])).stdout.trim()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopReceiver()
    rmSync(this.#disk, { recursive: true, force: true })
  }

  /** Folder of the backup. A restore starts a new timeline, which needs a new folder. */
  get #directory(): string {
    return join(this.#disk, `generation-${this.#generation}`)
  }

  get #environment() {
    const { hostname, port } = new URL(this.#env.DATABASE_SUPERUSER_URL)
    const address = { PGHOST: hostname, PGPORT: port, PGUSER: ROLE, PGPASSWORD: PASSWORD }
    return { ...stackEnvironment, ...address }
  }

  #command(script: string, args: readonly string[]): [string, string[]] {
    const command = [join(this.#disk, 'bin', script), ...args]
    // The kernel kills the script when this process ends.
    return ['setpriv', [...(isRoot ? asPostgres : []), '--pdeathsig', 'KILL', '--', ...command]]
  }

  async #run(script: string, ...args: string[]): Promise<void> {
    await run(...this.#command(script, args), { env: this.#environment, cwd: '/' })
  }

  #start(script: string, ...args: string[]): ChildProcess {
    const log = openSync(join(this.#disk, `${script}.log`), 'a')
    const stdio: ['ignore', number, number] = ['ignore', log, log]
    const child = spawn(...this.#command(script, args), { env: this.#environment, cwd: '/', stdio })
    closeSync(log)
    return child
  }

  async #waitUntilConnected(superuser: Superuser): Promise<void> {
    const streaming = `select from pg_stat_replication
      where application_name = 'reelkeep_wal' and state = 'streaming'`
    await poll(
      `receive-wal, which logs to ${this.#disk}`,
      SYNC_SECONDS_MAX,
      async () => (await superuser.query(streaming)).length > 0,
    )
  }

  async #stopReceiver(): Promise<void> {
    const receiver = this.#receiver
    this.#receiver = undefined
    if (receiver) await stopChild(receiver, 'SIGINT')
  }
}
