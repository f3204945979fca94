import { lazy } from 'react'

/** Dialogs are loaded when the first one opens, so that pages start with less code. */
export const LazyConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.tsx')).ConfirmDialog }))
