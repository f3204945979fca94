import { useLingui } from '@lingui/react/macro'
import { KeysView } from '../app/keyboard/keys-view.tsx'
import { useShortcutList } from '../app/keyboard/shortcuts.tsx'
import { Dialog } from '../ui/dialog.tsx'
import styles from './shortcuts-dialog.module.css'

/** All keyboard shortcuts of the current page. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const groups = Map.groupBy(useShortcutList(), ({ group }) => group)
  return (
    <Dialog title={t`Keyboard shortcuts`} isWide onClose={onClose}>
      <div className={styles.groups}>
        {[...groups].map(([group, shortcuts]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts.map(({ keys, label }) => (
                <div key={keys}>
                  <dt>{label}</dt>
                  <dd>
                    <KeysView keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
