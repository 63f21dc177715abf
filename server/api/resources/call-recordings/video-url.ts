import type { ApiContext } from '#context'
import { signDownload } from '#api/http/signed-downloads/sign-download'
import type { CallRecording } from './call-recording'

/** Returns the URL under which a client without a token can read the video for five minutes. Null for a recording without a stored video. */
export async function signVideoUrl(
  context: ApiContext,
  { id, blob_digest: digest }: CallRecording,
): Promise<string | null> {
  if (digest === null) return null
  const workspaceId = context.model.workspace.id
  const path = await signDownload(context, { workspaceId, digest, fileName: `${id}.mp4`, type: 'video/mp4' })
  return context.appUrl + path
}
