/** The dashboard with a storage connection that can be cut, and files to upload. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { assets, uploadSessions } from '@reelkeep/contract'
import { HttpProxy, setUpUploads, stackEnv } from '@reelkeep/testkit'
import type { Page } from 'playwright-core'
import { openDashboardFixture } from './dashboard-fixture.ts'
import { memberCookies } from './page-states.ts'

/** `database` is a name that no other test uses. */
export async function openUploadsFixture(database: string) {
  await using opening = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'reelkeep-dashboard-uploads-'))
  opening.defer(() => rmSync(folder, { recursive: true, force: true }))
  const bucket = `${database.replaceAll('_', '-')}-${randomBytes(4).toString('hex')}`
  const storageProxy = opening.use(await HttpProxy.open(stackEnv().STORAGE_ENDPOINT))
  const fixture = opening.use(
    await openDashboardFixture(database, async (origin) => {
      const settings = { STORAGE_UPLOADS_BUCKET: bucket }
      await setUpUploads(stackEnv(), { ...settings, UPLOAD_ORIGINS: origin })
      return { ...settings, STORAGE_PUBLIC_ENDPOINT: storageProxy.url }
    }),
  )
  const { caller } = fixture
  const storageState = await memberCookies(fixture)
  const list = async <T>(path: string) => (await caller.get<{ results: T[] }>(path)).body.results

  const more = {
    bucket,
    storageProxy,
    storageState,
    /** A page of a member. Without `hasPickers`, files are chosen with an `<input>`, as in Firefox and Safari. */
    async openPage(path = 'library', options: { readonly hasPickers?: boolean } = {}): Promise<Page> {
      const { page } = await fixture.newPage({ storageState, viewport: { width: 1280, height: 800 } })
      if (!options.hasPickers) await page.addInitScript('delete window.showOpenFilePicker')
      await page.goto(`${fixture.origin}/o/${caller.organizationId}/${path}`)
      await page.getByRole('button', { name: /^Your account/ }).waitFor()
      return page
    },
    /** Writes a file with random contents. `name` may contain folders. */
    newFile(name: string, bytes: number): { readonly path: string; readonly digest: string } {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      const content = randomBytes(bytes)
      writeFileSync(path, content)
      return { path, digest: createHash('md5').update(content).digest('hex') }
    },
    pathOf: (name: string) => join(folder, name),
    assets: (query: string) => list<assets.Asset>(`assets/?limit=100&${query}`),
    sessions: () => list<uploadSessions.UploadSessionDetails>('assets/upload-sessions/?limit=100'),
  }
  const open = opening.move()
  return { ...fixture, ...more, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Drops files or folders of this machine on the page, as the file manager of an operating system does. */
export async function dropFiles(page: Page, ...paths: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [...paths], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 600, y: 300, data })
  await session.detach()
}

/** The dock, or the list on the page of uploads. */
export const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })
