/** Two complete cells behind the router, on one machine, and the cells file. */
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Caller, Nginx, newCaller, poll, root, type Send, stackBeside } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { Cell } from './cell.ts'

const run = promisify(execFile)
const admin = join(root, 'server/src/main/admin.ts')

const START_SECONDS_MAX = 20

export type CellName = 'a' | 'b'

export const otherCell = (name: CellName): CellName => (name === 'a' ? 'b' : 'a')

/** Entry of an organization in the cells file. */
type Listed = { readonly cell: string; readonly isMoving: boolean }

export class MoveFixture implements AsyncDisposable {
  readonly cells: Readonly<Record<CellName, Cell>>
  readonly cellsFile: string
  readonly baseUrl: string
  readonly #cleanup: AsyncDisposableStack

  private constructor(
    cells: MoveFixture['cells'],
    { cellsFile, baseUrl }: Pick<MoveFixture, 'cellsFile' | 'baseUrl'>,
    cleanup: AsyncDisposableStack,
  ) {
    this.cells = cells
    this.cellsFile = cellsFile
    this.baseUrl = baseUrl
    this.#cleanup = cleanup
  }

  static async start(isKept: boolean): Promise<MoveFixture> {
    await using cleanup = new AsyncDisposableStack()
    const folder = mkdtempSync(join(tmpdir(), 'reelkeep-move-'))
    cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
    // The router runs as another user, which must be able to read the placements in this folder.
    chmodSync(folder, 0o755)
    const site = (_: string, port: number) => `server { listen 127.0.0.1:${port}; }`
    const router = cleanup.use(await Nginx.start(site))
    const { STACK_NAME: name, STACK_PORT } = stackEnvironment
    const shared = { publicUrl: router.baseUrl, isKept }
    const stack = { name, port: Number(STACK_PORT) }
    const a = cleanup.use(await Cell.start({ ...shared, stack }))
    const b = cleanup.use(await Cell.start({ ...shared, stack: stackBeside('b', 100) }))
    const cellsFile = join(folder, 'cells.json')
    const routerEntry = {
      file: router.siteFile,
      placements: join(folder, 'placements'),
      listen: new URL(router.baseUrl).host,
      logs: dirname(router.siteFile),
    }
    const cells = { a: a.entry, b: b.entry }
    writeFileSync(cellsFile, JSON.stringify({ cells, newOrganizations: 'a', router: routerEntry }))
    await configure(router, cellsFile)
    return new MoveFixture({ a, b }, { cellsFile, baseUrl: router.baseUrl }, cleanup.move())
  }

  /** Creates an organization in cell a, with a caller that uses the router. */
  async newCaller(): Promise<Caller> {
    const send: Send = async ({ method, path, headers, body }) => {
      const url = path.startsWith('http') ? path : this.baseUrl + path
      const answer = await fetch(url, { method, headers, body: body ?? null })
      const text = await answer.text()
      return { status: answer.status, headers: Object.fromEntries(answer.headers), text }
    }
    return newCaller(send, this.cells.a.env)
  }

  listed(organizationId: string): Listed {
    const directory = JSON.parse(readFileSync(this.cellsFile, 'utf8')) as {
      readonly newOrganizations: string
      readonly organizations?: Record<string, string>
      readonly moves?: Record<string, object>
    }
    return {
      cell: directory.organizations?.[organizationId] ?? directory.newOrganizations,
      isMoving: directory.moves?.[organizationId] !== undefined,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup.disposeAsync()
  }
}

/** Configures the router and reloads it, as an operator does after a change of the cells. */
async function configure(router: Nginx, cellsFile: string): Promise<void> {
  const { stdout } = await run(process.execPath, [admin, 'router-configuration'], {
    env: { ...stackEnvironment, CELLS_FILE: cellsFile },
  })
  writeFileSync(router.siteFile, stdout)
  const [program = '', ...args] = router.reload
  await run(program, args)
  await poll('the router', START_SECONDS_MAX, async () => {
    const answer = await fetch(`${router.baseUrl}/-/cells`).catch(() => undefined)
    return answer?.ok === true
  })
}
