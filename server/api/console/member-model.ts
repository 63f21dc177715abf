import type { AppContext } from '#context'
import type { DataModel } from '#engine/data-model/model'
import { modelOfMember } from '#engine/data-model/access/member-model'
import type { ConsoleMember } from '#api/http/guard/session-guard'

/** The newest data model, as the member sees it. */
export const getMemberModel = async (
  { models }: Pick<AppContext, 'models'>,
  { workspaceId, memberId, modelVersion }: ConsoleMember,
): Promise<DataModel> => modelOfMember(await models.getSince(workspaceId, modelVersion), memberId)
