/**
 * A client that creates, renames and moves folders, edits chapters, and reads what it wrote, one request after the
 * other. Only this client changes its resources, so it can derive their expected state. Every title is used once.
 */
import type { chapters, folders } from '@reelkeep/contract'
import type { Chance } from '../../faults/support/random.ts'
import { type CallContext, read, write } from './load-call.ts'
import { type AssetRecord, change, type Field, type FolderRecord, fieldOf } from './load-record.ts'

const FOLDERS = 'assets/folders/'
/** Each client changes only this many of its newest videos, because some of them are still being processed. */
const ASSETS_CHANGED_MAX = 8

export type LoadClientContext = CallContext & {
  readonly chance: Chance
  readonly newTitle: (kind: string) => string
  /** Videos with a known duration that only this client changes. */
  readonly assets: readonly AssetRecord[]
  /** The last second at which a chapter of a video may start. */
  readonly lastSecond: number
  /** Maximum number of folders. After that, the client only changes existing folders. */
  readonly foldersMax: number
}

type Acknowledged<Body> = { readonly isAcknowledged: boolean; readonly body: Body | undefined }

export class LoadClient {
  readonly #context: LoadClientContext
  readonly #folders: FolderRecord[] = []

  constructor(context: LoadClientContext) {
    this.#context = context
  }

  async runAction(): Promise<void> {
    const { chance } = this.#context
    const folder = this.#pick(this.#folders)
    const asset = this.#pick(this.#context.assets.slice(-ASSETS_CHANGED_MAX))
    if (!folder) return this.#createFolder()
    if (asset && chance.isTrue(0.4)) return this.#changeAsset(asset)
    const isFull = this.#folders.length >= this.#context.foldersMax
    const action = chance.oneOf(['create', 'rename', 'rename', 'move', 'read', 'read'] as const)
    if (action === 'create' && !isFull) return this.#createFolder()
    if (action === 'rename') return this.#rename(`${FOLDERS}${folder.uuid}/`, folder.title)
    if (action === 'move') return this.#moveFolder(folder)
    return this.#readFolder(folder)
  }

  #changeAsset(asset: AssetRecord): Promise<void> {
    const { chance } = this.#context
    const action = chance.oneOf(['rename', 'move', 'read', 'chapter', 'chapter', 'chapters'] as const)
    if (action === 'rename') return this.#rename(`assets/${asset.id}/`, asset.title)
    if (action === 'move') return this.#moveAsset(asset)
    if (action === 'read') return this.#readAsset(asset)
    return action === 'chapter' ? this.#changeChapter(asset) : this.#readChapters(asset)
  }

  async #createFolder(): Promise<void> {
    const title = this.#context.newTitle('Folder')
    const { body } = await this.#write<folders.Folder>('POST', FOLDERS, { title, parent: null })
    if (!body) return
    const folder = { uuid: body.uuid, title: fieldOf(title), parent: fieldOf(null) }
    this.#folders.push(folder)
    this.#context.record.folders.push(folder)
    this.#created('folder.created', title)
  }

  async #rename(path: string, title: Field): Promise<void> {
    const to = this.#context.newTitle('Renamed')
    const { isAcknowledged } = await this.#write('PATCH', path, { title: to })
    change(title, to, isAcknowledged)
  }

  /** Moves a folder to the root or into the client's first folder, which is never moved, so there are no cycles. */
  async #moveFolder(folder: FolderRecord): Promise<void> {
    const { chance } = this.#context
    const outermost = this.#folders[0]
    if (!outermost || folder === outermost) return this.#readFolder(folder)
    const to = chance.isTrue(0.5) ? outermost.uuid : null
    const { isAcknowledged } = await this.#write('POST', `${FOLDERS}${folder.uuid}/move/`, {
      parent: to,
    })
    change(folder.parent, to, isAcknowledged)
  }

  async #moveAsset({ id, folder }: AssetRecord): Promise<void> {
    const to = this.#pick(this.#folders)?.uuid ?? null
    const { isAcknowledged } = await this.#write('POST', `assets/${id}/move/`, { folder: to })
    change(folder, to, isAcknowledged)
  }

  /** Adds a chapter at a random second. If there is already a chapter at that second, renames or deletes it. */
  async #changeChapter(asset: AssetRecord): Promise<void> {
    const { chance, lastSecond } = this.#context
    const path = `assets/${asset.id}/chapters/`
    const second = chance.integer(0, lastSecond)
    const chapter = [...asset.chapters.values()].find(
      (one) => one.second === second && one.title.possible.some((title) => title !== null),
    )
    if (!chapter) return this.#addChapter(asset, second)
    if (chapter.title.possible.includes(null)) return this.#readChapters(asset)
    if (chance.isTrue(0.8)) return this.#rename(`${path}${chapter.id}/`, chapter.title)
    const { isAcknowledged } = await this.#write('DELETE', `${path}${chapter.id}/`)
    change(chapter.title, null, isAcknowledged)
  }

  async #addChapter(asset: AssetRecord, second: number): Promise<void> {
    if (asset.uncertainSeconds.has(second)) return
    const title = this.#context.newTitle('Chapter')
    const start_time = `00:00:${String(second).padStart(2, '0')}`
    const request = { chapters: [{ title, start_time }] }
    const path = `assets/${asset.id}/chapters/`
    const answer = await this.#write<{ results: chapters.Chapter[] }>('POST', path, request)
    const added = answer.body?.results[0]
    if (!added) return void asset.uncertainSeconds.add(second)
    asset.chapters.set(added.id, { id: added.id, second, title: fieldOf(title) })
    this.#created('chapter.created', title)
  }

  async #readFolder({ uuid, title, parent }: FolderRecord): Promise<void> {
    const body = await this.#read<folders.FolderDetails>(`${FOLDERS}${uuid}/`)
    if (!body) return
    this.#compare(`folder ${uuid}`, title, body.title)
    this.#compare(`folder ${uuid}`, parent, body.parent)
  }

  async #readAsset({ id, title, folder }: AssetRecord): Promise<void> {
    const body = await this.#read<{ title: string; parent_id: string | null }>(`assets/${id}/`)
    if (!body) return
    this.#compare(`asset ${id}`, title, body.title)
    this.#compare(`asset ${id}`, folder, body.parent_id)
  }

  async #readChapters({ id, chapters: known }: AssetRecord): Promise<void> {
    const path = `assets/${id}/chapters/`
    const body = await this.#read<{ results: chapters.Chapter[] }>(path)
    if (!body) return
    const titles = new Map(body.results.map((chapter) => [chapter.id, chapter.title]))
    for (const chapter of known.values()) {
      this.#compare(`chapter ${chapter.id} of ${id}`, chapter.title, titles.get(chapter.id) ?? null)
    }
  }

  #compare(what: string, { possible }: Field, seen: string | null): void {
    if (possible.includes(seen)) return
    const { wrongReads } = this.#context.record
    wrongReads.push(`${what} was read as ${seen}, expected ${possible.join(' or ')}`)
  }

  async #write<Body>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Acknowledged<Body>> {
    const outcome = await write<Body>(this.#context, { method, path, body })
    return { isAcknowledged: outcome !== undefined, body: outcome?.body }
  }

  async #read<Body>(path: string): Promise<Body | undefined> {
    const answer = await read(this.#context, path)
    if (!answer) return undefined
    if (answer.status === 200) return JSON.parse(answer.text) as Body
    // Acknowledged writes must be readable.
    this.#context.record.wrongReads.push(`${path} returned ${answer.status} ${answer.text}`)
    return undefined
  }

  #created(type: string, title: string): void {
    this.#context.record.creations.push({ type, title, at: Date.now() })
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items.length === 0 ? undefined : this.#context.chance.oneOf(items)
  }
}
