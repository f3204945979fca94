import type { Caller } from '@reelkeep/testkit'
import { limitedCaller } from './limited.ts'
import type { ErrorTriggers, Fixture } from './triggers.ts'

const unknownUuid = '11111111111'
const longTitle = 'x'.repeat(256)

async function newFolder(caller: Caller, title: string, parent: string | null = null) {
  const { body } = await caller.post<{ uuid: string }>('assets/folders/', { title, parent })
  return body.uuid
}

/** Creates a folder at the maximum depth. */
async function deepest(caller: Caller): Promise<string> {
  let parent = await newFolder(caller, 'depth 1')
  for (let depth = 2; depth <= 32; depth++) parent = await newFolder(caller, `depth ${depth}`, parent)
  return parent
}

/** Creates a folder with many children directly in the table, because the API would need minutes. */
async function folderOf({ caller, superuser }: Fixture, children: number): Promise<string> {
  const uuid = await newFolder(caller, 'Large')
  // Disables foreign key checks, whose cached plans are for a small table and would scan it for each row.
  await superuser.query('set session_replication_role = replica')
  await superuser.query(
    `insert into folders (organization_id, uuid, parent_uuid, title, search_title, grams)
     select $1, lpad(translate(number::text, '0', 'z'), 11, 'a'), $2, 'child', 'child', '{}'
     from generate_series(1, $3) as number`,
    [caller.organizationId, uuid, children],
  )
  await superuser.query('set session_replication_role = origin')
  return uuid
}

/** A new folder in a folder that is under legal hold. */
async function heldFolder(caller: Caller): Promise<string> {
  const outer = await newFolder(caller, 'Evidence')
  await caller.patch(`assets/folders/${outer}/`, { legal_hold: true })
  return `assets/folders/${await newFolder(caller, 'inner', outer)}/`
}

export const folderTriggers = {
  createFolder: {
    external_id_taken: async ({ caller }) => {
      const folder = { title: 'x', external_id: 'course-1' }
      await caller.post('assets/folders/', folder)
      return caller.post('assets/folders/', folder)
    },
    invalid_title: ({ caller }) => caller.post('assets/folders/', { title: longTitle }),
    parent_not_found: ({ caller }) => caller.post('assets/folders/', { title: 'x', parent: unknownUuid }),
    folder_too_deep: async ({ caller }) =>
      caller.post('assets/folders/', { title: 'x', parent: await deepest(caller) }),
    outside_folder: async ({ caller }) => (await limitedCaller(caller)).limited.post('assets/folders/', { title: 'x' }),
  },
  listFolders: {
    invalid_cursor: ({ caller }) => caller.get('assets/folders/?cursor=junk'),
    parent_not_found: ({ caller }) => caller.get(`assets/folders/?parent=${unknownUuid}`),
  },
  readFolderTree: {
    parent_not_found: ({ caller }) => caller.get(`assets/folders/tree/?parent=${unknownUuid}`),
  },
  readFolder: {
    folder_not_found: ({ caller }) => caller.get(`assets/folders/${unknownUuid}/`),
  },
  updateFolder: {
    external_id_taken: async ({ caller }) => {
      await caller.post('assets/folders/', { title: 'x', external_id: 'course-1' })
      return caller.patch(`assets/folders/${await newFolder(caller, 'a')}/`, { external_id: 'course-1' })
    },
    folder_not_found: ({ caller }) => caller.patch(`assets/folders/${unknownUuid}/`, { title: 'x' }),
    invalid_title: async ({ caller }) =>
      caller.patch(`assets/folders/${await newFolder(caller, 'a')}/`, { title: longTitle }),
    outside_folder: async ({ caller }) => {
      const { folder, limited } = await limitedCaller(caller)
      return limited.patch(`assets/folders/${folder}/`, { title: 'x' })
    },
  },
  moveFolder: {
    folder_not_found: ({ caller }) => caller.post(`assets/folders/${unknownUuid}/move/`, { parent: null }),
    parent_not_found: async ({ caller }) =>
      caller.post(`assets/folders/${await newFolder(caller, 'a')}/move/`, { parent: unknownUuid }),
    folder_into_itself: async ({ caller }) => {
      const outer = await newFolder(caller, 'outer')
      const inner = await newFolder(caller, 'inner', outer)
      return caller.post(`assets/folders/${outer}/move/`, { parent: inner })
    },
    folder_too_deep: async ({ caller }) => {
      const folder = await newFolder(caller, 'a')
      return caller.post(`assets/folders/${folder}/move/`, { parent: await deepest(caller) })
    },
    folder_too_large: async (fixture) => {
      const large = await folderOf(fixture, 100_000)
      const parent = await newFolder(fixture.caller, 'parent')
      return fixture.caller.post(`assets/folders/${large}/move/`, { parent })
    },
    legal_hold: async ({ caller }) => caller.post(`${await heldFolder(caller)}move/`, { parent: null }),
    outside_folder: async ({ caller }) => {
      const { folder, limited } = await limitedCaller(caller)
      return limited.post(`assets/folders/${await newFolder(caller, 'a', folder)}/move/`, { parent: null })
    },
  },
  previewFolderDeletion: {
    folder_not_found: ({ caller }) => caller.get(`assets/folders/${unknownUuid}/deletion/`),
  },
  deleteFolder: {
    folder_not_found: ({ caller }) => caller.delete(`assets/folders/${unknownUuid}/`),
    folder_not_empty: async ({ caller }) => {
      const outer = await newFolder(caller, 'outer')
      await newFolder(caller, 'inner', outer)
      return caller.delete(`assets/folders/${outer}/`)
    },
    folder_too_large: async (fixture) => {
      const large = await folderOf(fixture, 10_000)
      return fixture.caller.delete(`assets/folders/${large}/?recursive=true`)
    },
    legal_hold: async ({ caller }) => caller.delete(await heldFolder(caller)),
    outside_folder: async ({ caller }) => {
      const { folder, limited } = await limitedCaller(caller)
      return limited.delete(`assets/folders/${folder}/`)
    },
  },
  restoreFolder: {
    folder_not_found: ({ caller }) => caller.post(`assets/folders/${unknownUuid}/restore/`, {}),
    legal_hold: async ({ caller }) => {
      const outer = await newFolder(caller, 'Evidence')
      const middle = await newFolder(caller, 'middle', outer)
      const inner = await newFolder(caller, 'inner', middle)
      for (const uuid of [inner, middle]) await caller.delete(`assets/folders/${uuid}/`)
      await caller.patch(`assets/folders/${outer}/`, { legal_hold: true })
      return caller.post(`assets/folders/${inner}/restore/`, {})
    },
    outside_folder: async ({ caller }) => {
      const { folder, limited } = await limitedCaller(caller)
      const middle = await newFolder(caller, 'middle', folder)
      const inner = await newFolder(caller, 'inner', middle)
      for (const uuid of [inner, middle]) await caller.delete(`assets/folders/${uuid}/`)
      return limited.post(`assets/folders/${inner}/restore/`, {})
    },
  },
} satisfies Partial<ErrorTriggers>
