import { useLingui } from '@lingui/react/macro'
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { icons } from '../ui/icons.tsx'
import { useProblemText } from './texts/problem-text.ts'
import styles from './toasts.module.css'

type ToastAction = { readonly label: string; readonly run: () => void }
type Toast = { readonly id: number; readonly text: string; readonly isProblem: boolean; readonly action?: ToastAction }

type ShowToast = (text: string, options?: { readonly isProblem?: boolean; readonly action?: ToastAction }) => void

const ToastContext = createContext<ShowToast>(() => {})
const ToastActionContext = createContext<ToastAction | undefined>(undefined)

/** Messages with an action, such as undo, remain longer. A message remains while the pointer or focus is on it. */
const SHOWN_MILLISECONDS = 5000
const SHOWN_WITH_ACTION_MILLISECONDS = 10_000
const TOASTS_MAX = 3

/** Returns a function that shows a short message about what has just happened. */
export const useToast = () => use(ToastContext)

/** The action of the newest message that has one. A shortcut runs it: the message is at the end of the tab order. */
export const useToastAction = () => use(ToastActionContext)

/** Returns a function that shows why an action failed. */
export function useProblemToast(): (error: unknown) => void {
  const show = useToast()
  const problemText = useProblemText()
  return (error) => show(problemText(error), { isProblem: true })
}

export function Toasts({ children }: { readonly children: ReactNode }) {
  const { t } = useLingui()
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const close = useCallback((id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)), [])
  const show = useCallback<ShowToast>((text, { isProblem = false, action } = {}) => {
    const toast = { id: nextId++, text, isProblem, ...(action && { action }) }
    setToasts((shown) => [...shown, toast].slice(-TOASTS_MAX))
  }, [])
  const last = toasts.findLast(({ action }) => action)
  const action = useMemo(() => last?.action && endingWith(last.action, () => close(last.id)), [last, close])
  return (
    <ToastContext value={show}>
      <ToastActionContext value={action}>{children}</ToastActionContext>
      <section className={styles.region} aria-label={t`Messages`} aria-live="polite">
        {toasts.map((toast) => (
          <ToastView key={toast.id} toast={toast} onClose={close} />
        ))}
      </section>
    </ToastContext>
  )
}

let nextId = 1

const endingWith = ({ label, run }: ToastAction, close: () => void): ToastAction => ({
  label,
  run: () => {
    close()
    run()
  },
})

function ToastView({ toast, onClose }: { readonly toast: Toast; readonly onClose: (id: number) => void }) {
  const { t } = useLingui()
  const [isHeld, setIsHeld] = useState(false)
  const { id, text, isProblem, action } = toast
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => onClose(id), action ? SHOWN_WITH_ACTION_MILLISECONDS : SHOWN_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [id, action, isHeld, onClose])
  const [hold, release] = [() => setIsHeld(true), () => setIsHeld(false)]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The handlers only keep the message on the screen.
    <div
      className={styles.toast}
      data-problem={isProblem || undefined}
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      {isProblem ? icons.warning : icons.done}
      <p>{text}</p>
      {action && (
        <Button size="small" look="quiet" onClick={endingWith(action, () => onClose(id)).run}>
          {action.label}
        </Button>
      )}
      <IconButton label={t`Close`} icon={icons.close} onClick={() => onClose(id)} />
    </div>
  )
}
