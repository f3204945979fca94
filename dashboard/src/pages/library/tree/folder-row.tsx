import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Button, Collection, TreeItem, TreeItemContent } from 'react-aria-components'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { icons } from '../../../ui/icons.tsx'
import { Menu, MenuItem, MenuLine } from '../../../ui/menu.tsx'
import type { FolderQuestion } from '../actions/folder-dialogs.tsx'
import styles from './folder-tree.module.css'
import type { TreeNode } from './tree-nodes.ts'

type Ask = (question: FolderQuestion) => void
type Props = {
  readonly node: TreeNode
  readonly isCurrent: boolean
  readonly onAsk: Ask
  readonly children: (node: TreeNode) => React.ReactElement
}

export function FolderRow({ node, isCurrent, onAsk, children }: Props) {
  const title = useTitle(node)
  return (
    <TreeItem id={node.id} textValue={title} className={styles.row ?? ''}>
      <TreeItemContent>
        {({ hasChildItems }) => (
          <div className={styles.folder} data-current={isCurrent || undefined} data-kind={node.kind}>
            <Chevron isShown={hasChildItems} />
            {node.kind === 'all' && icons.library}
            {node.kind === 'folder' && icons.folder}
            <span className={styles.name} aria-current={isCurrent ? 'page' : undefined}>
              {title}
            </span>
            {node.kind === 'folder' && <FolderMenu node={node} onAsk={onAsk} />}
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

function Chevron({ isShown }: { readonly isShown: boolean }): ReactNode {
  if (!isShown) return <span className={styles.chevron} />
  return (
    <Button slot="chevron" className={styles.chevron ?? ''}>
      {icons.chevronRight}
    </Button>
  )
}

function FolderMenu({ node, onAsk }: { readonly node: TreeNode; readonly onAsk: Ask }): ReactNode {
  const { t } = useLingui()
  const { can } = useOrganization()
  const folder = { uuid: node.id, title: node.title }
  const { title } = node
  const [mayCreate, mayChange] = [can('folders:create'), can('folders:write')]
  if (!mayCreate) return null
  return (
    <Menu
      label={t`Actions for ${title}`}
      trigger={
        <Button className={styles.menu ?? ''} aria-label={t`Actions for ${title}`}>
          {icons.more}
        </Button>
      }
    >
      <MenuItem icon={icons.plus} onAction={() => onAsk({ kind: 'create', parent: folder })}>
        {t`New folder inside`}
      </MenuItem>
      {mayChange && (
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
    </Menu>
  )
}
