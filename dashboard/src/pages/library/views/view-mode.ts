import { useState } from 'react'

export type ViewMode = 'grid' | 'list'

const STORAGE_KEY = 'reelkeep.library-view'

/** Grid or list, as chosen last in this browser. */
export function useViewMode(): readonly [ViewMode, (mode: ViewMode) => void] {
  const [mode, setMode] = useState<ViewMode>(() => (localStorage.getItem(STORAGE_KEY) === 'list' ? 'list' : 'grid'))
  return [
    mode,
    (chosen) => {
      localStorage.setItem(STORAGE_KEY, chosen)
      setMode(chosen)
    },
  ]
}
