/** A simple model of an organization and of what limited principals see of it. */
export type ModelFolder = { parent: string | null; isDeleted: boolean }
export type ModelAsset = { folder: string | null; creator: string; isDeleted: boolean }
export type ModelPrincipal = { readonly name: string; readonly limit?: string; readonly ownOnly?: true }

export class LimitsModel {
  readonly folders = new Map<string, ModelFolder>()
  readonly assets = new Map<string, ModelAsset>()

  /** Whether a place is inside the limit, and the folder of the limit was not deleted. */
  #isInside({ limit }: ModelPrincipal, place: string | null): boolean {
    if (limit === undefined) return true
    if (this.folders.get(limit)?.isDeleted) return false
    for (let at = place; at !== null; at = this.folders.get(at)?.parent ?? null) if (at === limit) return true
    return false
  }

  seesFolder(principal: ModelPrincipal, uuid: string): boolean {
    return this.folders.get(uuid)?.isDeleted === false && this.#isInside(principal, uuid)
  }

  /** Whether the principal finds the asset, in the trash or not. */
  findsAsset(principal: ModelPrincipal, id: string): boolean {
    const asset = this.assets.get(id)
    if (!asset || (principal.ownOnly && asset.creator !== principal.name)) return false
    return this.#isInside(principal, asset.folder)
  }

  seesAsset(principal: ModelPrincipal, id: string): boolean {
    return this.findsAsset(principal, id) && this.assets.get(id)?.isDeleted === false
  }

  visible(principal: ModelPrincipal) {
    return {
      assets: [...this.assets.keys()].filter((id) => this.seesAsset(principal, id)).sort(),
      folders: [...this.folders.keys()].filter((uuid) => this.seesFolder(principal, uuid)).sort(),
    }
  }

  createIn(principal: ModelPrincipal, place: string | null, missing: string): string {
    if (place === null) return principal.limit === undefined ? 'ok' : 'outside_folder'
    return this.seesFolder(principal, place) ? 'ok' : missing
  }

  moveAsset(principal: ModelPrincipal, id: string, target: string | null): string {
    const asset = this.assets.get(id)
    if (!asset || !this.seesAsset(principal, id)) return 'asset_not_found'
    const result = this.createIn(principal, target, 'target_folder_not_found')
    if (result === 'ok') asset.folder = target
    return result
  }

  moveFolder(principal: ModelPrincipal, uuid: string, parent: string | null): string {
    const folder = this.folders.get(uuid)
    if (!folder || !this.seesFolder(principal, uuid)) return 'folder_not_found'
    if (principal.limit === uuid) return 'outside_folder'
    const result = this.createIn(principal, parent, 'parent_not_found')
    if (result !== 'ok') return result
    if (this.#below(uuid).includes(parent ?? '')) return 'folder_into_itself'
    folder.parent = parent
    return 'ok'
  }

  deleteAsset(principal: ModelPrincipal, id: string): string {
    const asset = this.assets.get(id)
    if (!asset || !this.seesAsset(principal, id)) return 'asset_not_found'
    asset.isDeleted = true
    return 'ok'
  }

  /** An asset whose folder was deleted is restored to the root. */
  restoreAsset(principal: ModelPrincipal, id: string): string {
    const asset = this.assets.get(id)
    if (!asset || !this.findsAsset(principal, id)) return 'asset_not_found'
    const isFolderDeleted = asset.folder !== null && this.folders.get(asset.folder)?.isDeleted === true
    if (asset.isDeleted && isFolderDeleted && principal.limit !== undefined) return 'outside_folder'
    if (asset.isDeleted && isFolderDeleted) asset.folder = null
    asset.isDeleted = false
    return 'ok'
  }

  deleteFolder(principal: ModelPrincipal, uuid: string): string {
    if (!this.seesFolder(principal, uuid)) return 'folder_not_found'
    if (principal.limit === uuid) return 'outside_folder'
    const folders = this.#below(uuid).filter((below) => this.folders.get(below)?.isDeleted === false)
    const assets = [...this.assets.values()].filter(
      ({ folder, isDeleted }) => !isDeleted && folder !== null && folders.includes(folder),
    )
    if (principal.ownOnly && assets.length > 0) return 'outside_folder'
    for (const below of folders)
      this.folders.set(below, { parent: this.folders.get(below)?.parent ?? null, isDeleted: true })
    for (const asset of assets) asset.isDeleted = true
    return 'ok'
  }

  /** The folder and all folders below it. */
  #below(uuid: string): string[] {
    const children = [...this.folders].filter(([, { parent }]) => parent === uuid).map(([child]) => child)
    return [uuid, ...children.flatMap((child) => this.#below(child))]
  }
}
