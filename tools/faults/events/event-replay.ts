/** Replays the event log from its beginning. Returns the logged changes and the resulting state. */
import type { events } from '@reelkeep/contract'

/** The resources of an organization as callers see them, described in text so that differences are readable. */
export type Resources = ReadonlyMap<string, string>

type Data<Kind extends events.EventType> = events.EventData[Kind]
type Placed = { readonly title: string; readonly place: string | null }

/**
 * Result of a replay; `changes` has one line for each change, in order. A line that no caller's request explains is a
 * violation.
 */
export type Replay = { readonly changes: readonly string[]; readonly resources: Resources }

export function replay(log: readonly events.Event[]): Replay {
  const state = new LogReplay(firstTitles(log))
  for (const event of log) state.apply(event)
  return { changes: state.changes, resources: state.resources() }
}

/**
 * Titles with which assets were created, by asset ID. Known changes identify assets by these titles, and the event of a
 * session may come before the event of its asset.
 */
const firstTitles = (log: readonly events.Event[]): ReadonlyMap<string, string> =>
  new Map(
    log.flatMap(({ type, data }) => {
      const { id, title } = data as Data<'asset.created'>
      return type === 'asset.created' ? [[id, title]] : []
    }),
  )

/** The subject of an event; events of one subject arrive in order. */
export function subjectOf({ asset_id, data }: events.Event): string {
  const { uuid, id } = data as { uuid?: string; id?: string }
  return asset_id ?? uuid ?? id ?? ''
}

class LogReplay {
  readonly changes: string[] = []
  readonly #firstTitles: ReadonlyMap<string, string>
  readonly #placed = { folder: new Map<string, Placed>(), asset: new Map<string, Placed>() }
  readonly #sessions = new Map<string, { assetId: string; status: string }>()
  /** Chapters by asset, then by number. */
  readonly #chapters = new Map<string, Map<number, string>>()
  /** Tokens by name. A name is unique, except that a rotated token and its successors share it. */
  readonly #tokens = new Map<string, { live: number; revoked: number }>()

  constructor(titles: ReadonlyMap<string, string>) {
    this.#firstTitles = titles
  }

  apply({ type, data }: events.Event): void {
    const [family = '', what = ''] = type.split('.')
    if (family === 'folder') {
      const { uuid, title, parent } = data as Data<'folder.created'>
      this.#applyPlaced('folder', what, uuid, { title, place: parent })
    } else if (family === 'asset') {
      const { id, title, parent_id } = data as Data<'asset.created'>
      this.#applyPlaced('asset', what, id, { title, place: parent_id })
      if (what === 'deleted') this.#deleteContents(id)
    } else if (family === 'upload_session') this.#applySession(what, data as never)
    else if (family === 'chapter') this.#applyChapters(what, data as never)
    else if (family === 'token') this.#applyToken(what, data as never)
    else this.changes.push(type)
  }

  #applyPlaced(kind: 'folder' | 'asset', what: string, id: string, now: Placed): void {
    const all = this.#placed[kind]
    const before = all.get(id)
    if (what === 'created') this.changes.push(`${kind} ${now.title} created`)
    else if (!before) this.changes.push(`${kind} ${id} ${what} but does not exist`)
    else if (what === 'updated') this.#applyUpdate(kind, id, before, now)
    else this.changes.push(`${kind} ${id} ${what}`)
    if (what === 'deleted') all.delete(id)
    else all.set(id, now)
  }

  #applyUpdate(kind: string, id: string, before: Placed, now: Placed): void {
    const [isRenamed, isMoved] = [before.title !== now.title, before.place !== now.place]
    if (isRenamed) this.changes.push(`${kind} ${id} renamed to ${now.title}`)
    if (isMoved) this.changes.push(`${kind} ${id} moved to ${now.place}`)
    if (isRenamed === isMoved) this.changes.push(`${kind} ${id} changed twice or not at all`)
  }

  #applySession(what: string, { uuid, asset_id, status }: Data<'upload_session.created'>): void {
    const title = this.#firstTitles.get(asset_id)
    this.changes.push(what === 'created' ? `session of ${title} created` : `session ${uuid} ${what}`)
    this.#sessions.set(uuid, { assetId: asset_id, status })
  }

  #applyChapters(what: string, { asset_id, chapters }: Data<'chapter.created'>): void {
    const all = this.#chapters.get(asset_id) ?? new Map<number, string>()
    this.#chapters.set(asset_id, all)
    for (const { id, title } of chapters) {
      const named = what === 'deleted' ? id : title
      this.changes.push(`chapter ${named} ${what}`)
      if (what === 'deleted') all.delete(id)
      else all.set(id, title)
    }
  }

  #applyToken(what: string, { name }: Data<'token.created'>): void {
    this.changes.push(`token ${name} ${what}`)
    const { live, revoked } = this.#tokens.get(name) ?? { live: 0, revoked: 0 }
    if (what === 'created') this.#tokens.set(name, { live: live + 1, revoked })
    if (what === 'revoked') this.#tokens.set(name, { live: live - 1, revoked: revoked + 1 })
  }

  /** Deletes what belongs to an asset. */
  #deleteContents(assetId: string): void {
    this.#chapters.delete(assetId)
    for (const [id, session] of this.#sessions) {
      if (session.assetId === assetId) this.#sessions.delete(id)
    }
  }

  resources(): Resources {
    const resources = new Map<string, string>()
    for (const kind of ['folder', 'asset'] as const) {
      for (const [id, { title, place }] of this.#placed[kind]) {
        resources.set(`${kind} ${id}`, `${title} in ${place}`)
      }
    }
    for (const [id, { status }] of this.#sessions) resources.set(`session ${id}`, status)
    for (const [assetId, chapters] of this.#chapters) {
      for (const [id, title] of chapters) resources.set(`chapter ${id} of ${assetId}`, title)
    }
    for (const [name, { live, revoked }] of this.#tokens) {
      resources.set(`token ${name}`, `${live} live, ${revoked} revoked`)
    }
    return resources
  }
}
