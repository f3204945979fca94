/** Files that the user drops or chooses, with the folders in which they are. */
import type { FileHandle } from 'reelkeep/queue'

export type PickedFile = {
  readonly file: File
  readonly handle?: FileHandle
  /** Names of the folders that contain the file, below what was dropped; empty for a single file. */
  readonly folders: readonly string[]
}

type DirectoryHandle = {
  readonly kind: 'directory'
  readonly name: string
  readonly values: () => AsyncIterable<AnyHandle>
}
type AnyHandle = DirectoryHandle | (FileHandle & { readonly kind: 'file' })

type WindowWithPickers = Window & {
  readonly showOpenFilePicker?: (options: object) => Promise<(FileHandle & { readonly kind: 'file' })[]>
  readonly showDirectoryPicker?: (options: object) => Promise<DirectoryHandle>
}

/** The files of a drop. Reads all items before it waits for anything, because they are gone afterwards. */
export async function droppedFiles({ items }: DataTransfer): Promise<PickedFile[]> {
  const found = [...items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({
      file: item.getAsFile(),
      entry: item.webkitGetAsEntry(),
      handle: handleOf(item),
    }))
  const picked = await Promise.all(
    found.map(async ({ file, entry, handle }) => {
      const opened = await handle?.catch(() => undefined)
      if (opened) return filesOfHandle(opened)
      if (entry?.isDirectory) return filesOfEntry(entry as FileSystemDirectoryEntry)
      return file ? [{ file, folders: [] }] : []
    }),
  )
  return picked.flat()
}

const handleOf = (item: DataTransferItem & { getAsFileSystemHandle?: () => Promise<AnyHandle | null> }) =>
  item.getAsFileSystemHandle?.()

/** Handles let the page read the files again after a reload; browsers without them provide only the files. */
async function filesOfHandle(handle: AnyHandle, folders: readonly string[] = []): Promise<PickedFile[]> {
  if (handle.kind === 'file') return [{ file: await handle.getFile(), handle, folders }]
  const picked: PickedFile[] = []
  for await (const child of handle.values()) picked.push(...(await filesOfHandle(child, [...folders, handle.name])))
  return picked
}

async function filesOfEntry(entry: FileSystemDirectoryEntry, folders: readonly string[] = []): Promise<PickedFile[]> {
  const inside = [...folders, entry.name]
  const picked: PickedFile[] = []
  const reader = entry.createReader()
  // A call returns at most 100 entries, and none at the end.
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (entries.length === 0) return picked
    for (const child of entries) {
      if (child.isDirectory) picked.push(...(await filesOfEntry(child as FileSystemDirectoryEntry, inside)))
      else picked.push({ file: await fileOfEntry(child as FileSystemFileEntry), folders: inside })
    }
  }
}

const fileOfEntry = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))

/** The files of an `<input type="file">`. */
export const filesOfInput = (list: FileList | null): PickedFile[] =>
  [...(list ?? [])].map((file) => ({ file, folders: file.webkitRelativePath.split('/').slice(0, -1) }))

/** Opens the file picker of the browser, if it returns handles. Undefined without a chosen file. */
export async function pickWithHandles(kind: 'files' | 'folder'): Promise<PickedFile[] | undefined> {
  const pickers = window as WindowWithPickers
  try {
    if (kind === 'folder') {
      const directory = await pickers.showDirectoryPicker?.({ mode: 'read' })
      return directory && filesOfHandle(directory)
    }
    const handles = await pickers.showOpenFilePicker?.({ multiple: true })
    return handles && (await Promise.all(handles.map((handle) => filesOfHandle(handle)))).flat()
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return []
    throw error
  }
}

export const hasPicker = (kind: 'files' | 'folder') =>
  (kind === 'files' ? 'showOpenFilePicker' : 'showDirectoryPicker') in window
