import type { ReactNode } from 'react'
import { Popover } from 'react-aria-components'

type Props = { readonly label: string; readonly className: string; readonly children: ReactNode }

/** The open list of a combo box. It is at the end of the document, outside of all landmarks, so it is one itself. */
export const OptionsPopover = ({ label, className, children }: Props) => (
  <Popover
    className={className}
    offset={4}
    render={({ children: content, ...rest }) => (
      // biome-ignore lint/a11y/useSemanticElements: The popover must be a div.
      <div {...rest} role="region" aria-label={label}>
        {content}
      </div>
    )}
  >
    {children}
  </Popover>
)
