import { type Handler, handle } from '../../../platform/jobs/handler.ts'
import { renderPart } from '../../renditions/renditions.ts'
import { render } from './render.ts'
import type { RenderDeps } from './render-deps.ts'

export const renderHandlers = (deps: RenderDeps): Handler[] => [handle(renderPart, (attempt) => render(deps, attempt))]
