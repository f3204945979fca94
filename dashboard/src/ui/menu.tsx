import type { ReactElement, ReactNode } from 'react'
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  MenuSection as AriaMenuSection,
  Header,
  type MenuItemProps,
  MenuTrigger,
  Popover,
  type PopoverProps,
  Separator,
} from 'react-aria-components'
import styles from './menu.module.css'

type Props = {
  /** The button that opens the menu. It must be a Button of react-aria-components. */
  readonly trigger: ReactElement
  readonly label: string
  readonly placement?: PopoverProps['placement']
  readonly children: ReactNode
}

const OFFSET = 6

/** A button with a menu. Arrow keys move in it, letters find an item, Escape closes it. */
export const Menu = ({ trigger, label, placement = 'bottom start', children }: Props) => (
  <MenuTrigger>
    {trigger}
    <Popover className={styles.popover ?? ''} placement={placement} offset={OFFSET}>
      <AriaMenu className={styles.menu ?? ''} aria-label={label}>
        {children}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
)

type SharedMenuProps = {
  readonly isOpen: boolean
  /** The button that has opened the menu, and gets the focus back. */
  readonly button: HTMLElement
  readonly label: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** One menu for many buttons, rendered also while it is closed. A `Menu` for each row makes a long list slow. */
export const SharedMenu = ({ isOpen, button, label, onClose, children }: SharedMenuProps) => (
  <Popover
    className={styles.popover ?? ''}
    aria-label={label}
    placement="bottom start"
    offset={OFFSET}
    trigger="MenuTrigger"
    triggerRef={{ current: button }}
    isOpen={isOpen}
    onOpenChange={onClose}
  >
    <AriaMenu className={styles.menu ?? ''} aria-label={label} autoFocus="first" onClose={onClose}>
      {children}
    </AriaMenu>
  </Popover>
)

type ItemProps = Omit<MenuItemProps, 'children' | 'className'> & {
  readonly icon?: ReactNode
  readonly isDanger?: boolean
  /** Shown at the end, for example a keyboard shortcut. */
  readonly hint?: ReactNode
  readonly children: string
}

export const MenuItem = ({ icon, isDanger, hint, children, ...rest }: ItemProps) => (
  <AriaMenuItem {...rest} className={styles.item ?? ''} textValue={children} data-danger={isDanger || undefined}>
    {icon}
    <span className={styles.text}>{children}</span>
    {hint && <span className={styles.hint}>{hint}</span>}
  </AriaMenuItem>
)

type SectionProps = {
  readonly title: string
  readonly selection?: {
    readonly selected: string
    readonly onSelect: (key: string) => void
  }
  readonly children: ReactNode
}

/** A group of items. With a selection, exactly one of them is checked. */
export const MenuSection = ({ title, selection, children }: SectionProps) => (
  <AriaMenuSection
    {...(selection && {
      selectionMode: 'single' as const,
      disallowEmptySelection: true,
      selectedKeys: [selection.selected],
      onSelectionChange: (keys) => {
        const [key] = keys === 'all' ? [] : keys
        if (key !== undefined) selection.onSelect(String(key))
      },
    })}
  >
    <Header className={styles.title ?? ''}>{title}</Header>
    {children}
  </AriaMenuSection>
)

export const MenuLine = () => <Separator className={styles.line ?? ''} />
