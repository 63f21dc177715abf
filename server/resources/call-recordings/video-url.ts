import type { ApiContext } from '../../context'
import type { CallRecording } from './call-recording'

/** Null for a recording without a stored video. */
export const signVideoUrl = async (_context: ApiContext, _recording: CallRecording): Promise<string | null> => null
