import { sql } from 'kysely'
import type { Condition } from '../../platform/db/paging/keyset-query.ts'
import { titleSearch } from '../../platform/db/paging/title-search.ts'
import type { Given } from '../../platform/db/statement.ts'
import { byTitle, countAll, type InParent, type OfLimit } from './folder-list.store.ts'
import type { FolderName } from './folders.rules.ts'

const searchOf = <Filter extends object>(isWanted: (given: Given<Filter>) => Condition) =>
  titleSearch<Filter, FolderName>({
    relation: 'searchable_folders',
    order: byTitle,
    isWanted,
    // A listed folder has only a uuid and a title, which are the columns of the sort key.
    show: (_, keys) => sql`${keys}`,
    countAll,
  })

export const searchAnywhere = searchOf<object>(() => sql`true`)
export const searchAtRoot = searchOf<object>(() => sql`parent_uuid is null`)
export const searchAtLimit = searchOf<OfLimit>(({ limitUuid }) => sql`uuid = ${limitUuid}`)
export const searchInParent = searchOf<InParent>(({ parentUuid }) => sql`parent_uuid = ${parentUuid}`)
