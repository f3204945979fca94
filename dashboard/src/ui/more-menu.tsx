import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import styles from './button.module.css'
import { icons } from './icons.tsx'
import { Menu } from './menu.tsx'

/** A button with three dots that opens the actions for one entry of a list. */
export const MoreMenu = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <Menu
    label={label}
    placement="bottom end"
    trigger={
      <Button className={styles.iconOnly ?? ''} aria-label={label}>
        {icons.more}
      </Button>
    }
  >
    {children}
  </Menu>
)
