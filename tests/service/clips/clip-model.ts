/** Which media storage must hold, according to the requests so far. */

type ModelAsset = {
  /** Ids of the media of its versions, oldest first; empty for a clip. */
  versions: string[]
  /** Id of the media that is shown. */
  media: string
  readonly isClip: boolean
  isInTrash: boolean
  isTrimmed: boolean
}

export class ClipModel {
  readonly assets = new Map<string, ModelAsset>()
  readonly #versionsKept: number
  /** Media that was left without its asset. */
  readonly #retained = new Set<string>()

  constructor(versionsKept: number) {
    this.#versionsKept = versionsKept
  }

  addAsset(id: string): void {
    this.assets.set(id, { versions: [id], media: id, isClip: false, isInTrash: false, isTrimmed: false })
  }

  addClip(id: string, parent: ModelAsset): void {
    this.assets.set(id, { versions: [], media: parent.media, isClip: true, isInTrash: false, isTrimmed: false })
  }

  addVersion(asset: ModelAsset, media: string): void {
    asset.versions.push(media)
    asset.media = media
    asset.isTrimmed = false
    this.#deleteOld(asset)
  }

  purge(id: string): void {
    const asset = this.assets.get(id)
    this.assets.delete(id)
    for (const media of asset?.versions ?? []) if (this.#isClipped(media)) this.#retained.add(media)
    for (const media of this.#retained) if (!this.#isClipped(media)) this.#retained.delete(media)
    for (const other of this.assets.values()) this.#deleteOld(other)
  }

  /** The media in storage. */
  stored(): string[] {
    return [...this.#retained, ...[...this.assets.values()].flatMap(({ versions }) => versions)].sort()
  }

  #isClipped(media: string): boolean {
    return [...this.assets.values()].some((asset) => asset.isClip && asset.media === media)
  }

  /** Keeps the version that is shown, the newest others, and those to which clips refer. */
  #deleteOld(asset: ModelAsset): void {
    const others = asset.versions.filter((media) => media !== asset.media)
    const old = others.toReversed().slice(this.#versionsKept - 1)
    asset.versions = asset.versions.filter((media) => !old.includes(media) || this.#isClipped(media))
  }
}
