import type { FileHandle, QueuedUpload, QueueStorage } from './uploads.ts'

const UPLOADS = 'uploads'
const HANDLES = 'handles'

/** Stores the queue of this name in IndexedDB. */
export function indexedDbStorage(name: string): QueueStorage {
  let opening: Promise<IDBDatabase> | undefined
  const open = () => {
    opening ??= openDatabase(name)
    return opening
  }
  /** `strict`: an upload that was saved is on the disk, and not only in a buffer of the operating system. */
  const write = async (work: (store: (name: string) => IDBObjectStore) => void): Promise<void> => {
    const transaction = (await open()).transaction([UPLOADS, HANDLES], 'readwrite', { durability: 'strict' })
    work((store) => transaction.objectStore(store))
    await ended(transaction)
  }
  const read = async <Result>(store: string, work: (store: IDBObjectStore) => IDBRequest): Promise<Result> => {
    const request = work((await open()).transaction(store).objectStore(store))
    await ended(request.transaction as IDBTransaction)
    return request.result as Result
  }

  return {
    load: () => read<QueuedUpload[]>(UPLOADS, (store) => store.getAll()),
    save: (uploads, handles) =>
      write((store) => {
        for (const upload of uploads) store(UPLOADS).put(upload)
        for (const [id, handle] of handles ?? []) store(HANDLES).put(handle, id)
      }),
    remove: (ids) =>
      write((store) => {
        for (const id of ids) {
          store(UPLOADS).delete(id)
          store(HANDLES).delete(id)
        }
      }),
    loadHandle: (id) => read<FileHandle | undefined>(HANDLES, (store) => store.get(id)),
  }
}

function openDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => {
      request.result.createObjectStore(UPLOADS, { keyPath: 'id' })
      request.result.createObjectStore(HANDLES)
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onerror = () => reject(transaction.error)
    transaction.onabort = () => reject(transaction.error)
  })
}
