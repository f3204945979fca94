/**
 * The actions of a caller, and the changes that must follow from them. The callers of an organization share one folder
 * and one asset, which they change concurrently. Only its own caller changes any other resource, so the result of each
 * request is known. Every title is used once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { chapters, folders, tokens, uploadSessions, webhooks } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import type { EventReceiver } from './event-receiver.ts'
import type { KnownChanges } from './known-changes.ts'

const FOLDERS = 'assets/folders/'
const SESSIONS = 'assets/upload-sessions/'

/** State shared by all callers of an organization. */
export type EventContext = {
  /** Repeats each request until it gets a response. */
  readonly retryingCaller: Caller
  /** Sends each request once; a lost response has the status 0. */
  readonly oneShotCaller: Caller
  readonly knownChanges: KnownChanges
  readonly sharedFolder: string
  readonly sharedAsset: string
  /** Webhooks whose secret has not been rotated yet: a second rotation would end the overlap of the first. */
  readonly webhooks: { readonly id: string; readonly receiver: EventReceiver }[]
  /** A number that is unique in this organization. */
  readonly nextNumber: () => number
}

/** A folder or an asset, and the folders in which it may be. */
type Placed = { readonly id: string; readonly places: Set<string | null> }
type OwnAsset = Placed & { readonly session: string }
type OwnToken = { readonly id: string; readonly name: string }
type Answered = { readonly status: number; readonly text: string }

export type EventAction = {
  readonly what: keyof typeof ActionRunner.handlers
  /** Pause after the caller's previous action. */
  readonly pauseMilliseconds: number
  /** Selects one of the caller's own resources: a fraction from 0 to 1 of their number. */
  readonly which: number
  /** Whether the action is retried until a response arrives. Otherwise its result is unknown after a lost response. */
  readonly isRepeated: boolean
}

export async function runActions(context: EventContext, actions: readonly EventAction[]): Promise<void> {
  const runner = new ActionRunner(context)
  for (const action of actions) {
    await sleep(action.pauseMilliseconds)
    await runner.run(action)
  }
}

class ActionRunner {
  readonly #context: EventContext
  readonly #folders: Placed[] = []
  readonly #assets: OwnAsset[] = []
  /** Sessions for which a cancellation was requested. */
  readonly #cancelled = new Set<string>()
  readonly #chapters: { readonly id: number }[] = []
  readonly #tokens: OwnToken[] = []
  #action: EventAction = { what: 'create folder', pauseMilliseconds: 0, which: 0, isRepeated: true }

  constructor(context: EventContext) {
    this.#context = context
  }

  async run(action: EventAction): Promise<void> {
    this.#action = action
    await ActionRunner.handlers[action.what](this)
  }

  static readonly handlers = {
    'create folder': (runner) => runner.#createFolder(),
    'rename folder': (runner) => runner.#ofFolders(({ id }) => runner.#rename('folder', id)),
    'rename the shared folder': (runner) => runner.#rename('folder', runner.#context.sharedFolder),
    'move folder': (runner) => runner.#ofFolders((folder) => runner.#move('folder', folder)),
    'delete folder': (runner) =>
      runner.#ofFolders((folder) => runner.#delete(runner.#folders, folder, `folder ${folder.id}`)),
    'delete a tree': (runner) => runner.#deleteTree(),
    'open session': (runner) => runner.#openSession(),
    'cancel session': (runner) => runner.#ofAssets((asset) => runner.#cancelSession(asset)),
    'rename asset': (runner) => runner.#ofAssets(({ id }) => runner.#rename('asset', id)),
    'rename the shared asset': (runner) => runner.#rename('asset', runner.#context.sharedAsset),
    'move asset': (runner) => runner.#ofAssets((asset) => runner.#move('asset', asset)),
    'delete asset': (runner) => runner.#ofAssets((asset) => runner.#delete(runner.#assets, asset, `asset ${asset.id}`)),
    'add chapter': (runner) => runner.#addChapter(),
    'edit chapter': (runner) => runner.#ofChapters(({ id }) => runner.#editChapter(id)),
    'delete chapter': (runner) =>
      runner.#ofChapters((chapter) => runner.#delete(runner.#chapters, chapter, `chapter ${chapter.id}`)),
    'create token': (runner) => runner.#createToken(),
    'rotate token': (runner) => runner.#ofTokens((token) => runner.#rotateToken(token)),
    'revoke token': (runner) =>
      runner.#ofTokens((token) => runner.#delete(runner.#tokens, token, `token ${token.name}`)),
    'rotate a secret': (runner) => runner.#rotateSecret(),
  } satisfies Record<string, (runner: ActionRunner) => Promise<unknown>>

  /** Changes one of the caller's own resources, or creates one if there is none. */
  #changeOne =
    <Resource>(resources: readonly Resource[], create: () => Promise<unknown>) =>
    (change: (resource: Resource) => Promise<unknown>): Promise<unknown> => {
      const resource = resources[Math.floor(this.#action.which * resources.length)]
      return resource === undefined ? create() : change(resource)
    }
  readonly #ofFolders = this.#changeOne(this.#folders, () => this.#createFolder())
  readonly #ofAssets = this.#changeOne(this.#assets, () => this.#openSession())
  readonly #ofChapters = this.#changeOne(this.#chapters, () => this.#addChapter())
  readonly #ofTokens = this.#changeOne(this.#tokens, () => this.#createToken())

  get #caller(): Caller {
    return this.#action.isRepeated ? this.#context.retryingCaller : this.#context.oneShotCaller
  }

  /** A new idempotency key, so that a retried request does not create a resource twice. */
  get #key() {
    return { 'idempotency-key': crypto.randomUUID() }
  }

  #newTitle(kind: string): string {
    return `${kind} ${this.#context.nextNumber()}`
  }

  /**
   * Returns whether the change was certainly made. `refusal` matches the error of a repeated request whose first
   * attempt succeeded.
   */
  #record({ status, text }: Answered, changes: readonly string[], refusal?: RegExp): boolean {
    const isDone = status >= 200 && status < 300
    const isDoneBefore = this.#action.isRepeated && refusal?.test(text) === true
    if (isDone || isDoneBefore) this.#context.knownChanges.recordCertain(...changes)
    else if (status === 0 || status >= 500) this.#context.knownChanges.recordPossible(...changes)
    else if (!expectedRefusals.test(text)) throw new Error(`${this.#action.what}: ${status} ${text}`)
    return isDone || isDoneBefore
  }

  async #createFolder(parent: string | null = null): Promise<string | undefined> {
    const title = this.#newTitle('Folder')
    const answer = await this.#caller.post<folders.Folder>(FOLDERS, { title, parent }, this.#key)
    if (!this.#record(answer, [`folder ${title} created`])) return undefined
    this.#folders.push({ id: answer.body.uuid, places: new Set([parent]) })
    return answer.body.uuid
  }

  async #rename(kind: 'folder' | 'asset', id: string): Promise<void> {
    const title = this.#newTitle(kind)
    const answer = await this.#caller.patch(this.#pathOf(`${kind} ${id}`), { title })
    this.#record(answer, [`${kind} ${id} renamed to ${title}`])
  }

  async #move(kind: 'folder' | 'asset', { id, places }: Placed): Promise<void> {
    const to = this.#otherPlace(places, id)
    if (to === undefined) return
    const body = kind === 'folder' ? { parent: to } : { folder: to }
    const answer = await this.#caller.post(`${this.#pathOf(`${kind} ${id}`)}move/`, body)
    const isCertain = this.#record(answer, [`${kind} ${id} moved to ${to}`])
    if (isCertain) places.clear()
    if (isCertain || answer.status === 0 || answer.status >= 500) places.add(to)
  }

  /** Selects a folder that certainly does not contain the resource, so that a move changes something. */
  #otherPlace(places: ReadonlySet<string | null>, self: string): string | null | undefined {
    const all = [null, ...this.#folders.map(({ id }) => id)]
    const others = all.filter((place) => place !== self && !places.has(place))
    return others[Math.floor(this.#action.which * others.length)]
  }

  /** Deletes a resource. `name` is its name in the known changes. */
  async #delete<Resource extends { readonly id: string | number }>(
    owned: Resource[],
    resource: Resource,
    name: string,
  ): Promise<void> {
    const kind = name.split(' ')[0]
    const answer = await this.#caller.delete(this.#pathOf(`${kind} ${resource.id}`))
    const change = `${name} ${kind === 'token' ? 'revoked' : 'deleted'}`
    this.#record(answer, [change], /_not_found/)
    if (!/folder_not_empty/.test(answer.text)) remove(owned, resource)
  }

  /** Returns the path of a resource, given as a kind and an ID. */
  #pathOf(resource: string): string {
    const [kind, id] = resource.split(' ')
    const lists: Record<string, string> = {
      folder: FOLDERS,
      asset: 'assets/',
      chapter: this.#chaptersPath,
      token: 'tokens/',
    }
    return `${lists[kind ?? '']}${id}/`
  }

  /** Deletes a folder tree that it has created before, so that all contents of the tree are known. */
  async #deleteTree(): Promise<void> {
    const outer = await this.#createFolder()
    if (!outer) return
    this.#folders.pop()
    const inner = await this.#createFolder(outer)
    if (!inner) return
    this.#folders.pop()
    const asset = await this.#openSession(inner)
    if (!asset) return
    remove(this.#assets, asset)
    const answer = await this.#caller.delete(`${FOLDERS}${outer}/?recursive=true`)
    const deleted = [`asset ${asset.id}`, `folder ${inner}`, `folder ${outer}`]
    const changes = deleted.map((resource) => `${resource} deleted`)
    this.#record(answer, changes, /folder_not_found/)
  }

  async #openSession(folder: string | null = null): Promise<OwnAsset | undefined> {
    const title = this.#newTitle('Asset')
    const input = { title, resolutions: ['360p'], folder }
    type Opened = uploadSessions.NewUploadSession
    const answer = await this.#caller.post<Opened>(SESSIONS, input, this.#key)
    if (!this.#record(answer, [`asset ${title} created`, `session of ${title} created`])) return
    const { asset, upload_session } = answer.body
    const own = { id: asset.id, session: upload_session.uuid, places: new Set([folder]) }
    this.#assets.push(own)
    return own
  }

  async #cancelSession({ id, session }: OwnAsset): Promise<void> {
    if (this.#cancelled.has(session)) return this.#rename('asset', id)
    this.#cancelled.add(session)
    const answer = await this.#caller.delete(`${SESSIONS}${session}/`)
    this.#record(answer, [`session ${session} cancelled`, `asset ${id} cancelled`], /session_closed/)
  }

  async #addChapter(): Promise<void> {
    const number = this.#context.nextNumber()
    const title = `Chapter ${number}`
    const answer = await this.#caller.post<{ results: chapters.Chapter[] }>(
      this.#chaptersPath,
      { chapters: [{ title, start_time: startOf(number) }] },
      this.#key,
    )
    if (!this.#record(answer, [`chapter ${title} created`])) return
    const added = answer.body.results.find((chapter) => chapter.title === title)
    if (added) this.#chapters.push({ id: added.id })
  }

  async #editChapter(id: number): Promise<void> {
    const title = this.#newTitle('Chapter')
    const answer = await this.#caller.patch(`${this.#chaptersPath}${id}/`, { title })
    this.#record(answer, [`chapter ${title} updated`])
  }

  get #chaptersPath(): string {
    return `assets/${this.#context.sharedAsset}/chapters/`
  }

  async #createToken(): Promise<void> {
    const name = this.#newTitle('Token')
    const input = { name, scopes: ['folders:read'] }
    const answer = await this.#caller.post<tokens.NewToken>('tokens/', input, this.#key)
    if (this.#record(answer, [`token ${name} created`])) {
      this.#tokens.push({ id: answer.body.id, name })
    }
  }

  async #rotateToken(token: OwnToken): Promise<void> {
    const path = `tokens/${token.id}/rotate/`
    const answer = await this.#caller.post(path, { overlap_seconds: 600 }, this.#key)
    // A rotated token and its successor have the same name.
    this.#record(answer, [`token ${token.name} rotated`, `token ${token.name} created`])
    remove(this.#tokens, token)
  }

  /**
   * Rotates the secret of a webhook. This causes no event, but deliveries must be signed with a secret that the
   * receiver has.
   */
  async #rotateSecret(): Promise<void> {
    const { webhooks: all, retryingCaller } = this.#context
    const webhook = all.pop()
    if (!webhook) return
    const path = `webhooks/${webhook.id}/rotate-secret/`
    const { status, body, text } = await retryingCaller.post<webhooks.NewWebhook>(path, {}, this.#key)
    if (status >= 300) throw new Error(`Cannot rotate the secret: ${text}`)
    webhook.receiver.trust(body.secret)
  }
}

export const actionNames = Object.keys(ActionRunner.handlers) as EventAction['what'][]

/** Expected errors: the folder to delete is not empty, or a folder would be moved into its own subtree. */
const expectedRefusals = /folder_not_empty|folder_into_itself/

const startOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 19)

function remove<Resource>(resources: Resource[], resource: Resource): void {
  const index = resources.indexOf(resource)
  if (index >= 0) resources.splice(index, 1)
}
