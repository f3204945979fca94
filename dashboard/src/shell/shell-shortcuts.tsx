import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useSyncExternalStore } from 'react'
import { type Shortcut, useShortcuts } from '../app/keyboard/shortcuts.tsx'
import { useMaybeOrganization } from '../app/organization/organization.tsx'

const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }))
const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog }))

type Shown = 'palette' | 'shortcuts' | undefined

/** The dialog that is open. It is kept outside of React because menus and shortcuts open it. */
let shown: Shown
const listeners = new Set<() => void>()
const show = (next: Shown) => {
  shown = next
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const dialogs = { openPalette: () => show('palette'), openShortcuts: () => show('shortcuts') }
export const useShellDialogs = () => dialogs

/** Shortcuts that work on all pages, and their dialogs. */
export function ShellShortcuts() {
  const dialog = useSyncExternalStore(subscribe, () => shown)
  useShortcuts(useGeneralShortcuts())
  const close = () => show(undefined)
  return (
    <Suspense>
      {dialog === 'palette' && <CommandPalette onClose={close} />}
      {dialog === 'shortcuts' && <ShortcutsDialog onClose={close} />}
    </Suspense>
  )
}

function useGeneralShortcuts(): readonly Shortcut[] {
  const { t } = useLingui()
  const navigate = useNavigate()
  const organization = useMaybeOrganization()
  return useMemo(() => {
    const [general, pages] = [t`General`, t`Open a page`]
    const params = { organization: organization?.id ?? '' }
    const inOrganization: Shortcut[] = [
      {
        ...{ keys: 'g l', label: t`Library`, group: pages },
        run: () => void navigate({ to: '/o/$organization/library', params, search: {} }),
      },
      {
        ...{ keys: 'g u', label: t`Uploads`, group: pages },
        run: () => void navigate({ to: '/o/$organization/uploads', params }),
      },
      {
        ...{ keys: 'g t', label: t`Trash`, group: pages },
        run: () => void navigate({ to: '/o/$organization/trash', params }),
      },
      {
        ...{ keys: 'g s', label: t`Settings`, group: pages },
        run: () => void navigate({ to: '/o/$organization/settings', params }),
      },
    ]
    return [
      { keys: 'mod+k', label: t`Search and commands`, group: general, run: dialogs.openPalette },
      { keys: '?', label: t`Keyboard shortcuts`, group: general, run: dialogs.openShortcuts },
      ...(organization ? inOrganization : []),
      { keys: 'g a', label: t`Account`, group: pages, run: () => void navigate({ to: '/account' }) },
    ]
  }, [t, navigate, organization])
}
