/**
 * The actions of a caller, and what it knows afterwards. Callers of an organization share a folder and an asset, which
 * they rename and add chapters to concurrently; everything else is a caller's own, so it knows what its requests
 * change. Every title is used once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { chapters, folders, tokens, uploadSessions, webhooks } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import type { EventAct } from './event-schedule.ts'
import type { ChangeNotes } from './known-changes.ts'

const FOLDERS = 'assets/folders/'
const SESSIONS = 'assets/upload-sessions/'

/** State shared by all callers of an organization. */
export type EventScene = {
  /** Repeats each request until it is answered. */
  readonly patient: Caller
  /** Sends once; a lost response has the status 0. */
  readonly hasty: Caller
  readonly notes: ChangeNotes
  readonly sharedFolder: string
  readonly sharedAsset: string
  /** Webhooks whose secret has not been rotated yet: a second rotation would end the overlap of the first. */
  readonly webhooks: { readonly id: string; readonly trust: (secret: string) => void }[]
  /** A number that is unique in this organization. */
  readonly nextNumber: () => number
}

type OwnFolder = { readonly uuid: string; readonly places: Set<string | null> }
type OwnAsset = {
  readonly id: string
  readonly session: string
  readonly places: Set<string | null>
}
type Answered = { readonly status: number; readonly text: string }

export async function actAll(scene: EventScene, acts: readonly EventAct[]): Promise<void> {
  const actor = new EventActor(scene)
  for (const act of acts) {
    await sleep(act.pauseMilliseconds)
    await actor.act(act)
  }
}

class EventActor {
  readonly #scene: EventScene
  readonly #folders: OwnFolder[] = []
  readonly #assets: OwnAsset[] = []
  /** Sessions that are cancelled, or may be. */
  readonly #cancelled = new Set<string>()
  readonly #chapters: number[] = []
  readonly #tokens: { readonly id: string; readonly name: string }[] = []
  #act: EventAct = { what: 'create folder', pauseMilliseconds: 0, which: 0, isRepeated: true }

  constructor(scene: EventScene) {
    this.#scene = scene
  }

  async act(act: EventAct): Promise<void> {
    this.#act = act
    await this.#ways[act.what]()
  }

  readonly #ways: Record<EventAct['what'], () => Promise<unknown>> = {
    'create folder': () => this.#createFolder(),
    'rename folder': () => this.#ofFolders(({ uuid }) => this.#rename('folder', uuid)),
    'rename the shared folder': () => this.#rename('folder', this.#scene.sharedFolder),
    'move folder': () => this.#ofFolders((folder) => this.#moveFolder(folder)),
    'delete folder': () => this.#ofFolders((folder) => this.#deleteFolder(folder)),
    'delete a tree': () => this.#deleteTree(),
    'open session': () => this.#openSession(),
    'cancel session': () => this.#ofAssets((asset) => this.#cancelSession(asset)),
    'rename asset': () => this.#ofAssets(({ id }) => this.#rename('asset', id)),
    'rename the shared asset': () => this.#rename('asset', this.#scene.sharedAsset),
    'move asset': () => this.#ofAssets((asset) => this.#moveAsset(asset)),
    'delete asset': () => this.#ofAssets((asset) => this.#deleteAsset(asset)),
    'add chapter': () => this.#addChapter(),
    'edit chapter': () => this.#ofChapters((id) => this.#editChapter(id)),
    'delete chapter': () => this.#ofChapters((id) => this.#deleteChapter(id)),
    'create token': () => this.#createToken(),
    'rotate token': () => this.#ofTokens((token) => this.#rotateToken(token)),
    'revoke token': () => this.#ofTokens((token) => this.#revokeToken(token)),
    'rotate a secret': () => this.#rotateSecret(),
  }

  /** Changes one of the caller's own resources, or creates one if there is none. */
  #changing =
    <Thing>(things: readonly Thing[], make: () => Promise<unknown>) =>
    (change: (thing: Thing) => Promise<unknown>): Promise<unknown> => {
      const thing = things[Math.floor(this.#act.which * things.length)]
      return thing === undefined ? make() : change(thing)
    }
  readonly #ofFolders = this.#changing(this.#folders, () => this.#createFolder())
  readonly #ofAssets = this.#changing(this.#assets, () => this.#openSession())
  readonly #ofChapters = this.#changing(this.#chapters, () => this.#addChapter())
  readonly #ofTokens = this.#changing(this.#tokens, () => this.#createToken())

  get #caller(): Caller {
    return this.#act.isRepeated ? this.#scene.patient : this.#scene.hasty
  }

  /** With it, repeating a creation creates nothing. */
  get #key() {
    return { 'idempotency-key': crypto.randomUUID() }
  }

  #newTitle(kind: string): string {
    return `${kind} ${this.#scene.nextNumber()}`
  }

  /**
   * Returns whether the change was certainly made. `refusal` matches the error of a repeated request whose first
   * attempt succeeded.
   */
  #note({ status, text }: Answered, changes: readonly string[], refusal?: RegExp): boolean {
    const isDone = status >= 200 && status < 300
    const isDoneBefore = this.#act.isRepeated && refusal?.test(text) === true
    if (isDone || isDoneBefore) this.#scene.notes.made(...changes)
    else if (status === 0 || status >= 500) this.#scene.notes.maybeMade(...changes)
    else if (!expectedRefusals.test(text)) throw new Error(`${this.#act.what}: ${status} ${text}`)
    return isDone || isDoneBefore
  }

  async #createFolder(parent: string | null = null): Promise<string | undefined> {
    const title = this.#newTitle('Folder')
    const answer = await this.#caller.post<folders.Folder>(FOLDERS, { title, parent }, this.#key)
    if (!this.#note(answer, [`folder ${title} created`])) return undefined
    this.#folders.push({ uuid: answer.body.uuid, places: new Set([parent]) })
    return answer.body.uuid
  }

  async #rename(kind: 'folder' | 'asset', id: string): Promise<void> {
    const title = this.#newTitle(kind)
    const path = kind === 'folder' ? `${FOLDERS}${id}/` : `assets/${id}/`
    const answer = await this.#caller.patch(path, { title })
    this.#note(answer, [`${kind} ${id} renamed to ${title}`])
  }

  async #moveFolder({ uuid, places }: OwnFolder): Promise<void> {
    const to = this.#otherPlace(places, uuid)
    if (to === undefined) return
    const answer = await this.#caller.post(`${FOLDERS}${uuid}/move/`, { parent: to })
    this.#noteMove(answer, `folder ${uuid}`, places, to)
  }

  async #moveAsset({ id, places }: OwnAsset): Promise<void> {
    const to = this.#otherPlace(places)
    if (to === undefined) return
    const answer = await this.#caller.post(`assets/${id}/move/`, { folder: to })
    this.#noteMove(answer, `asset ${id}`, places, to)
  }

  /** A folder that it is certainly not in, so that a move changes something. */
  #otherPlace(places: ReadonlySet<string | null>, self?: string): string | null | undefined {
    const all = [null, ...this.#folders.map(({ uuid }) => uuid)]
    const others = all.filter((place) => place !== self && !places.has(place))
    return others[Math.floor(this.#act.which * others.length)]
  }

  #noteMove(answer: Answered, thing: string, places: Set<string | null>, to: string | null): void {
    const isMade = this.#note(answer, [`${thing} moved to ${to}`])
    if (isMade) places.clear()
    if (isMade || answer.status === 0 || answer.status >= 500) places.add(to)
  }

  async #deleteFolder(folder: OwnFolder): Promise<void> {
    const answer = await this.#caller.delete(`${FOLDERS}${folder.uuid}/`)
    this.#note(answer, [`folder ${folder.uuid} deleted`], /folder_not_found/)
    if (!/folder_not_empty/.test(answer.text)) forget(this.#folders, folder)
  }

  /** Creates the tree first, so that all its contents are known. */
  async #deleteTree(): Promise<void> {
    const outer = await this.#createFolder()
    if (!outer) return
    forgetLast(this.#folders)
    const inner = await this.#createFolder(outer)
    if (!inner) return
    forgetLast(this.#folders)
    const asset = await this.#openSession(inner)
    if (!asset) return
    forget(this.#assets, asset)
    const answer = await this.#caller.delete(`${FOLDERS}${outer}/?recursive=true`)
    const gone = [`asset ${asset.id}`, `folder ${inner}`, `folder ${outer}`]
    this.#note(
      answer,
      gone.map((thing) => `${thing} deleted`),
      /folder_not_found/,
    )
  }

  async #openSession(folder: string | null = null): Promise<OwnAsset | undefined> {
    const title = this.#newTitle('Asset')
    const wish = { title, resolutions: ['360p'], folder }
    const answer = await this.#caller.post<uploadSessions.NewUploadSession>(
      SESSIONS,
      wish,
      this.#key,
    )
    if (!this.#note(answer, [`asset ${title} created`, `session of ${title} created`])) return
    const { asset, upload_session } = answer.body
    const own = { id: asset.id, session: upload_session.uuid, places: new Set([folder]) }
    this.#assets.push(own)
    return own
  }

  async #cancelSession({ id, session }: OwnAsset): Promise<void> {
    if (this.#cancelled.has(session)) return this.#rename('asset', id)
    this.#cancelled.add(session)
    const answer = await this.#caller.delete(`${SESSIONS}${session}/`)
    this.#note(answer, [`session ${session} cancelled`, `asset ${id} failed`], /session_closed/)
  }

  async #deleteAsset(asset: OwnAsset): Promise<void> {
    const answer = await this.#caller.delete(`assets/${asset.id}/`)
    this.#note(answer, [`asset ${asset.id} deleted`], /asset_not_found/)
    forget(this.#assets, asset)
  }

  async #addChapter(): Promise<void> {
    const number = this.#scene.nextNumber()
    const title = `Chapter ${number}`
    const answer = await this.#caller.post<{ results: chapters.Chapter[] }>(
      this.#chaptersPath,
      { chapters: [{ title, start_time: startOf(number) }] },
      this.#key,
    )
    if (!this.#note(answer, [`chapter ${title} created`])) return
    const added = answer.body.results.find((chapter) => chapter.title === title)
    if (added) this.#chapters.push(added.id)
  }

  async #editChapter(id: number): Promise<void> {
    const title = this.#newTitle('Chapter')
    const answer = await this.#caller.patch(`${this.#chaptersPath}${id}/`, { title })
    this.#note(answer, [`chapter ${title} updated`])
  }

  async #deleteChapter(id: number): Promise<void> {
    const answer = await this.#caller.delete(`${this.#chaptersPath}${id}/`)
    this.#note(answer, [`chapter ${id} deleted`], /chapter_not_found/)
    forget(this.#chapters, id)
  }

  get #chaptersPath(): string {
    return `assets/${this.#scene.sharedAsset}/chapters/`
  }

  async #createToken(): Promise<void> {
    const name = this.#newTitle('Token')
    const wish = { name, scopes: ['folders:read'] }
    const answer = await this.#caller.post<tokens.NewToken>('tokens/', wish, this.#key)
    if (this.#note(answer, [`token ${name} created`])) {
      this.#tokens.push({ id: answer.body.id, name })
    }
  }

  async #rotateToken(token: { readonly id: string; readonly name: string }): Promise<void> {
    const path = `tokens/${token.id}/rotate/`
    const answer = await this.#caller.post(path, { overlap_seconds: 600 }, this.#key)
    // The new token has the same name.
    this.#note(answer, [`token ${token.name} rotated`, `token ${token.name} created`])
    forget(this.#tokens, token)
  }

  async #revokeToken(token: { readonly id: string; readonly name: string }): Promise<void> {
    const answer = await this.#caller.delete(`tokens/${token.id}/`)
    this.#note(answer, [`token ${token.name} revoked`], /token_not_found/)
    forget(this.#tokens, token)
  }

  /** Records no event, but deliveries during the overlap must be signed with a secret that the receiver knows. */
  async #rotateSecret(): Promise<void> {
    const { webhooks: all, patient } = this.#scene
    const webhook = all.pop()
    if (!webhook) return
    const path = `webhooks/${webhook.id}/rotate_secret/`
    const { status, body, text } = await patient.post<webhooks.NewWebhook>(path, {}, this.#key)
    if (status >= 300) throw new Error(`Cannot rotate the secret: ${text}`)
    webhook.trust(body.secret)
  }
}

/** Errors to be expected for a caller's own folders: not empty, or a move into its own subtree. */
const expectedRefusals = /folder_not_empty|folder_into_itself/

function startOf(number: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(number / 3600))}:${two(Math.floor(number / 60) % 60)}:${two(number % 60)}`
}

function forget<Thing>(things: Thing[], thing: Thing): void {
  const index = things.indexOf(thing)
  if (index >= 0) things.splice(index, 1)
}

const forgetLast = (things: unknown[]) => void things.pop()
