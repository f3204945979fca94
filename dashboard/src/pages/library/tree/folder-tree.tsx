import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, memo, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { type Key, ListLayout, Tree, Virtualizer } from 'react-aria-components'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import type { FolderQuestion } from '../actions/folder-dialogs.tsx'
import { folderQuery, useFolderLevels } from './folder-levels.ts'
import { FolderMenu, FolderRow, type RowMenu } from './folder-row.tsx'
import styles from './folder-tree.module.css'
import { useTreeDrops } from './tree-drops.ts'
import { ALL_VIDEOS, find, newTreeNodes, type TreeNode } from './tree-nodes.ts'

const FolderDialogs = lazy(async () => ({ default: (await import('../actions/folder-dialogs.tsx')).FolderDialogs }))

const layoutOptions = { rowHeight: 32 }

/** The folders of the organization, in the sidebar. Levels are loaded when they are opened. */
export function FolderTree({ onNavigate }: { readonly onNavigate?: () => void }) {
  const { t } = useLingui()
  const organization = useOrganization()
  const { root, levels, expanded, setExpanded, expand, loadMore } = useFolderLevels()
  const [question, setQuestion] = useState<FolderQuestion>()
  const current = useCurrentFolder(expand)
  const [nodesOf] = useState(newTreeNodes)
  const nodes = useMemo(() => nodesOf({ root, levels, expanded }), [nodesOf, root, levels, expanded])
  const openFolder = useOpenFolder(onNavigate)
  return (
    <section className={styles.section} aria-label={t`Folders`}>
      <div className={styles.head}>
        <h2>{t`Folders`}</h2>
        {organization.can('folders:create') && (
          <IconButton
            label={t`New folder`}
            icon={icons.plus}
            onClick={() => setQuestion({ kind: 'create', parent: undefined })}
          />
        )}
      </div>
      <Rows
        {...{ nodes, current, expanded, loadMore }}
        onExpand={setExpanded}
        onOpen={openFolder}
        onAsk={setQuestion}
      />
      {question && (
        <Suspense>
          <FolderDialogs
            question={question}
            onClose={() => setQuestion(undefined)}
            onCreated={(uuid, parent) => {
              if (parent !== undefined) expand([parent])
              openFolder(uuid)
            }}
            onDeleted={(uuid) => uuid === current && openFolder(undefined)}
          />
        </Suspense>
      )}
    </section>
  )
}

type RowsProps = {
  readonly nodes: readonly TreeNode[]
  readonly current: string | undefined
  readonly expanded: ReadonlySet<string>
  readonly onExpand: (expanded: ReadonlySet<string>) => void
  readonly loadMore: (parent: string) => Promise<void>
  readonly onOpen: (folder: string | undefined) => void
  readonly onAsk: (question: FolderQuestion) => void
}

/** Tree renders all visible rows again whenever it is rendered, and of the others those whose objects are new. */
const Rows = memo(function Rows({ nodes, current, expanded, onExpand, loadMore, onOpen, onAsk }: RowsProps) {
  const { t } = useLingui()
  const [menu, setMenu] = useState<RowMenu>()
  // The folder may have been renamed or deleted since its menu was opened.
  const menuNode = menu && find(nodes, menu.node.id)
  const openMenu = menu?.isOpen ? menuNode?.id : undefined
  const dragAndDropHooks = useTreeDrops(nodes)
  const onAction = (key: Key) => {
    const id = String(key)
    if (id.endsWith('/more')) void loadMore(id.slice(0, -'/more'.length))
    else if (!id.endsWith('/loading')) onOpen(id === ALL_VIDEOS ? undefined : id)
  }
  const row = (node: TreeNode) => (
    <FolderRow
      key={node.id}
      node={node}
      isCurrent={node.id === current}
      isMenuOpen={node.id === openMenu}
      onOpenMenu={setMenu}
    >
      {row}
    </FolderRow>
  )
  return (
    <>
      <Virtualizer layout={ListLayout} layoutOptions={layoutOptions}>
        <Tree
          className={styles.tree ?? ''}
          aria-label={t`Folders`}
          items={nodes}
          dependencies={[current, openMenu]}
          expandedKeys={expanded}
          onExpandedChange={(keys) => onExpand(new Set([...keys].map(String)))}
          selectionMode="none"
          onAction={onAction}
          {...(dragAndDropHooks && { dragAndDropHooks })}
        >
          {row}
        </Tree>
      </Virtualizer>
      {menu && (
        <FolderMenu
          menu={{ ...menu, node: menuNode ?? menu.node, isOpen: openMenu !== undefined }}
          onClose={() => setMenu({ ...menu, isOpen: false })}
          onAsk={onAsk}
        />
      )}
    </>
  )
})

/** The row of the folder that the page shows. Opens the folders above it. */
function useCurrentFolder(expand: (uuids: readonly string[]) => void): string | undefined {
  const organization = useOrganization()
  const { folder } = useSearch({ strict: false }) as { readonly folder?: string }
  const { data } = useQuery({ ...folderQuery(organization, folder ?? ''), enabled: folder !== undefined })
  useEffect(() => {
    if (data && data.path.length > 0) expand(data.path.map(({ uuid }) => uuid))
  }, [data, expand])
  const isLibrary = useLocation({ select: ({ pathname }) => pathname.endsWith('/library') })
  return isLibrary ? (folder ?? ALL_VIDEOS) : undefined
}

function useOpenFolder(onNavigate: (() => void) | undefined): (folder: string | undefined) => void {
  const { id } = useOrganization()
  const navigate = useNavigate()
  return useCallback(
    (folder) => {
      onNavigate?.()
      void navigate({
        ...{ to: '/o/$organization/library', params: { organization: id } },
        search: folder === undefined ? {} : { folder },
      })
    },
    [id, navigate, onNavigate],
  )
}
