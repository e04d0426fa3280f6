import type { Query } from 'mongoose';

interface Explained {
  queryPlanner: { winningPlan: Stage };
}

interface Stage {
  stage: string;
  indexName?: string;
  inputStage?: Stage;
}

/** Returns the names of the indexes that a query uses; a scan of the whole collection is `COLLSCAN`. */
export async function explainWalks(
  query: Pick<Query<unknown, unknown>, 'explain'>,
): Promise<(string | undefined)[]> {
  const explained: unknown = await query.explain('queryPlanner');
  return stagesOf((explained as Explained).queryPlanner.winningPlan)
    .filter(({ stage }) => stage === 'IXSCAN' || stage === 'COLLSCAN')
    .map(({ stage, indexName }) => indexName ?? stage);
}

function stagesOf(stage: Stage): Stage[] {
  return stage.inputStage ? [stage, ...stagesOf(stage.inputStage)] : [stage];
}
