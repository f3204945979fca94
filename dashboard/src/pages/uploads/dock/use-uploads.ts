import { createContext, use, useSyncExternalStore } from 'react'
import type { UploadQueue } from 'reelkeep/queue'
import type { UploadDefaults } from './adding/defaults.ts'
import type { PickedFile } from './adding/picked-files.ts'

type UploadsValue = {
  readonly queue: UploadQueue
  /** Adds files to a folder, or to the root with null. Without options, with those of the last upload. */
  readonly addFiles: (files: readonly PickedFile[], folder: string | null, options?: UploadDefaults) => Promise<void>
  /** Opens the dialog in which the user chooses files and options. Without a folder, it offers the last one. */
  readonly openDialog: (folder?: string | null) => void
}

export const UploadsContext = createContext<UploadsValue | undefined>(undefined)

/** The user's upload queue in the organization; undefined if the user may not upload. */
export const useUploads = () => use(UploadsContext)

const none: readonly never[] = []

/** The uploads of the queue, in their order. */
export function useUploadList() {
  const queue = useUploads()?.queue
  return useSyncExternalStore(
    (listener) => queue?.subscribe(listener) ?? (() => {}),
    () => queue?.uploads ?? none,
  )
}

/** Assets that can be played although they are still processed, and what listens for them. */
const playable = new Set<string>()
const listeners = new Set<() => void>()

export function setPlayable(assetId: string): void {
  playable.add(assetId)
  for (const listener of listeners) listener()
}

const subscribePlayable = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useIsPlayable = (assetId: string | undefined) =>
  useSyncExternalStore(subscribePlayable, () => assetId !== undefined && playable.has(assetId))
