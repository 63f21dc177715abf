import type { App } from './apps'

/** An app that is not published yet can be installed in the workspace that owns it and nowhere else. Spec: auth 3.2. */
export const mayBeInstalledIn = (app: App, workspaceId: string): boolean =>
  app.is_published || app.workspace_id === workspaceId
