import type { AssetTarget } from '../actions/asset-target.ts'
import { filterOf } from '../assets/asset-filter.ts'
import { isSelected, type Selection, selectedCount } from '../assets/selection.ts'
import type { Videos } from './use-videos.ts'

/** The videos that an action on the selection changes. */
export function targetOf({ search, videos, count }: Videos, selection: Selection): AssetTarget {
  const isComplete = count !== null && videos.length >= count
  if (selection.isAll && !isComplete) {
    return {
      ...{ kind: 'matching', filter: filterOf(search), exceptIds: [...selection.ids] },
      count: selectedCount(selection, count),
    }
  }
  const assets = videos.filter(({ id }) => isSelected(selection, id))
  return { kind: 'listed', assets: assets.map(({ id, parentId, tags }) => ({ id, parentId, tags })) }
}
