import { type ChangeFeed, type FeedQuery, toReader } from '../../helpdesk/feed/change-feed.ts';
import type { ResumablePage } from '../../helpdesk/feed/feed-item.ts';
import type { FeedWatch } from '../../helpdesk/feed/feed-watch.ts';
import type { LoadViewer, Viewer } from '../../helpdesk/people/viewer.ts';

export interface FollowDeps {
  feed: ChangeFeed;
  watch: FeedWatch;
  loadViewer: LoadViewer;
  /** Maximum time between two pages; without changes, the page is empty. */
  heartbeatMs?: number | undefined;
}

/**
 * Reads a feed to its end and then all further changes, until `signal` is aborted. Returns an empty page after some
 * time without changes. Holds no database resources between pages.
 *
 * @throws {AppError} as `ChangeFeed.read`
 */
export type Follow = (viewer: Viewer, query: FeedQuery, signal: AbortSignal) => AsyncGenerator<ResumablePage>;

const HEARTBEAT_MS = 15_000;

export function createFollow({
  feed,
  watch,
  loadViewer,
  heartbeatMs: beatMs = HEARTBEAT_MS,
}: FollowDeps): Follow {
  return async function* follow(viewer, query, signal) {
    let reader = toReader(viewer);
    let subscription = watch.subscribe(reader, signal);
    let since = query.since;
    try {
      for (;;) {
        const page = await feed.read(viewer, { ...query, since });
        yield page;
        since = page.position;
        if (page.has_more) continue;
        await subscription.next(beatMs);
        if (signal.aborted) return;
        viewer = await loadViewer(viewer);
        if (reader === toReader(viewer)) continue;
        // A first ticket gives a new reader a feed.
        reader = toReader(viewer);
        subscription.close();
        subscription = watch.subscribe(reader, signal);
      }
    } finally {
      subscription.close();
    }
  };
}
