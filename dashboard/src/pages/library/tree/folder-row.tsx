import { useLingui } from '@lingui/react/macro'
import type { ReactNode, SyntheticEvent } from 'react'
import { Collection, TreeItem, TreeItemContent } from 'react-aria-components'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { icons } from '../../../ui/icons.tsx'
import { MenuItem, MenuLine, SharedMenu } from '../../../ui/menu.tsx'
import type { FolderQuestion } from '../actions/folder-dialogs.tsx'
import styles from './folder-tree.module.css'
import type { TreeNode } from './tree-nodes.ts'

type Ask = (question: FolderQuestion) => void
/** The row whose menu was opened last, and its button. */
export type RowMenu = { readonly node: TreeNode; readonly button: HTMLElement; readonly isOpen: boolean }
type Props = {
  readonly node: TreeNode
  readonly isCurrent: boolean
  readonly isMenuOpen: boolean
  readonly onOpenMenu: (menu: RowMenu) => void
  readonly children: (node: TreeNode) => React.ReactElement
}

/** Its buttons are plain ones: a Button of react-aria-components costs as much as the rest of the row. */
export function FolderRow({ node, isCurrent, isMenuOpen, onOpenMenu, children }: Props) {
  const title = useTitle(node)
  return (
    <TreeItem id={node.id} textValue={title} className={styles.row ?? ''}>
      <TreeItemContent>
        {({ hasChildItems, isExpanded, state }) => (
          <div className={styles.folder} data-current={isCurrent || undefined} data-kind={node.kind}>
            {hasChildItems ? (
              <Chevron title={title} isExpanded={isExpanded} onToggle={() => state.toggleKey(node.id)} />
            ) : (
              <span className={styles.chevron} />
            )}
            {node.kind === 'all' && icons.library}
            {node.kind === 'folder' && icons.folder}
            <span className={styles.name} aria-current={isCurrent ? 'page' : undefined}>
              {title}
            </span>
            {node.kind === 'folder' && <MenuButton node={node} isOpen={isMenuOpen} onOpen={onOpenMenu} />}
          </div>
        )}
      </TreeItemContent>
      <Collection items={node.children}>{children}</Collection>
    </TreeItem>
  )
}

function useTitle({ kind, title }: TreeNode): string {
  const { t } = useLingui()
  if (kind === 'folder') return title
  return { all: t`All videos`, loading: t`Loading…`, more: t`Show more folders` }[kind]
}

type ChevronProps = { readonly title: string; readonly isExpanded: boolean; readonly onToggle: () => void }

/** With a keyboard, the arrow keys do the same. */
function Chevron({ title, isExpanded, onToggle }: ChevronProps): ReactNode {
  const { t } = useLingui()
  const toggle = (event: SyntheticEvent) => {
    event.stopPropagation()
    onToggle()
  }
  return (
    <button
      type="button"
      className={styles.chevron}
      tabIndex={-1}
      aria-label={isExpanded ? t`Collapse ${title}` : t`Expand ${title}`}
      {...withoutRow}
      onClick={toggle}
    >
      {icons.chevronRight}
    </button>
  )
}

const stop = (event: SyntheticEvent) => event.stopPropagation()
/** The row would open the folder, or start a drag. */
const withoutRow = { onPointerDown: stop, onMouseDown: stop }

type MenuButtonProps = { readonly node: TreeNode; readonly isOpen: boolean; readonly onOpen: (menu: RowMenu) => void }

function MenuButton({ node, isOpen, onOpen }: MenuButtonProps): ReactNode {
  const { t } = useLingui()
  const { can } = useOrganization()
  const { title } = node
  const open = (event: SyntheticEvent<HTMLElement>) => {
    event.preventDefault()
    event.stopPropagation()
    // Safari does not focus a button that is clicked, and the menu returns the focus.
    event.currentTarget.focus()
    onOpen({ node, button: event.currentTarget, isOpen: true })
  }
  if (!can('folders:create')) return null
  return (
    <button
      type="button"
      className={styles.menu}
      aria-label={t`Actions for ${title}`}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      {...withoutRow}
      // Not by the click that follows: react-aria takes that for one of a screen reader, and focuses no item.
      onKeyDown={(event) => (event.key === 'Enter' || event.key === ' ') && open(event)}
      onClick={open}
    >
      {icons.more}
    </button>
  )
}

type FolderMenuProps = { readonly menu: RowMenu; readonly onClose: () => void; readonly onAsk: Ask }

/** The menu of all rows. */
export function FolderMenu({ menu: { node, button, isOpen }, onClose, onAsk }: FolderMenuProps) {
  const { t } = useLingui()
  const { can } = useOrganization()
  const { id: uuid, title } = node
  const folder = { uuid, title }
  return (
    <SharedMenu isOpen={isOpen} button={button} label={t`Actions for ${title}`} onClose={onClose}>
      <MenuItem icon={icons.plus} onAction={() => onAsk({ kind: 'create', parent: folder })}>
        {t`New folder inside`}
      </MenuItem>
      {can('folders:write') && (
        <>
          <MenuItem icon={icons.edit} onAction={() => onAsk({ kind: 'rename', folder })}>
            {t`Rename`}
          </MenuItem>
          <MenuItem icon={icons.move} onAction={() => onAsk({ kind: 'move', folder })}>
            {t`Move to…`}
          </MenuItem>
          <MenuLine />
          <MenuItem icon={icons.trash} isDanger onAction={() => onAsk({ kind: 'delete', folder })}>
            {t`Delete`}
          </MenuItem>
        </>
      )}
    </SharedMenu>
  )
}
