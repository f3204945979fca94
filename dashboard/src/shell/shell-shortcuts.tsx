import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useSyncExternalStore } from 'react'
import { type Shortcut, useShortcuts } from '../app/keyboard/shortcuts.tsx'
import { useMaybeOrganization } from '../app/organization/organization.tsx'
import { maySearch, maySeeTrash, mayUpload } from '../app/organization/permitted-pages.ts'
import { useToastAction } from '../app/toasts.tsx'

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
  useShortcuts(useActionShortcut())
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
    const library: Shortcut = {
      ...{ keys: 'g l', label: t`Library`, group: pages },
      run: () => void navigate({ to: '/o/$organization/library', params, search: {} }),
    }
    const search: Shortcut = {
      ...{ keys: 'g f', label: t`Search in videos`, group: pages },
      run: () => void navigate({ to: '/o/$organization/search', params, search: {} }),
    }
    const uploads: Shortcut = {
      ...{ keys: 'g u', label: t`Uploads`, group: pages },
      run: () => void navigate({ to: '/o/$organization/uploads', params }),
    }
    const trash: Shortcut = {
      ...{ keys: 'g t', label: t`Trash`, group: pages },
      run: () => void navigate({ to: '/o/$organization/trash', params }),
    }
    const settings: Shortcut = {
      ...{ keys: 'g s', label: t`Settings`, group: pages },
      run: () => void navigate({ to: '/o/$organization/settings', params }),
    }
    const inOrganization = organization
      ? [
          library,
          ...(maySearch(organization) ? [search] : []),
          ...(mayUpload(organization) ? [uploads] : []),
          ...(maySeeTrash(organization) ? [trash] : []),
          settings,
        ]
      : []
    return [
      { keys: 'mod+k', label: t`Search and commands`, group: general, run: dialogs.openPalette },
      { keys: '?', label: t`Keyboard shortcuts`, group: general, run: dialogs.openShortcuts },
      ...inOrganization,
      { keys: 'g a', label: t`Account`, group: pages, run: () => void navigate({ to: '/account' }) },
    ]
  }, [t, navigate, organization])
}

/** Runs the action of the newest message, such as undo. */
function useActionShortcut(): readonly Shortcut[] {
  const { t } = useLingui()
  const action = useToastAction()
  return useMemo(() => (action ? [{ keys: 'z', group: t`General`, ...action }] : []), [action, t])
}
