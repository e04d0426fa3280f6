import type { Metrics } from '@keydesk/server';
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
  now: () => Date;
  metrics?: Pick<Metrics, 'histogram'> | undefined;
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
  now,
  metrics,
}: FollowDeps): Follow {
  const recordDelivery = createDeliveryRecorder(now, metrics);
  return async function* follow(viewer, query, signal) {
    const subscription = subscribe(watch, viewer, signal);
    let since = query.since;
    let isWaiting = false;
    try {
      for (;;) {
        const page = await feed.read(viewer, { ...query, since });
        if (isWaiting) recordDelivery(page);
        yield page;
        since = page.position;
        isWaiting = !page.has_more;
        if (isWaiting) await subscription.next(beatMs);
        if (signal.aborted) return;
        if (!isWaiting) continue;
        viewer = await loadViewer(viewer);
        subscription.follow(viewer);
      }
    } finally {
      subscription.close();
    }
  };
}

/** Subscribes to the changes of a viewer, and of the reader that the viewer becomes with a first ticket. */
function subscribe(watch: FeedWatch, viewer: Viewer, signal: AbortSignal) {
  let reader = toReader(viewer);
  let subscription = watch.subscribe(reader, signal);
  return {
    next: (limitMs: number) => subscription.next(limitMs),
    follow(current: Viewer) {
      if (reader === toReader(current)) return;
      reader = toReader(current);
      subscription.close();
      subscription = watch.subscribe(reader, signal);
    },
    close: () => subscription.close(),
  };
}

const BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures how long changes take to reach a reader that waits for them, by the oldest change of each page. */
function createDeliveryRecorder(
  now: () => Date,
  metrics: FollowDeps['metrics'],
): (page: ResumablePage) => void {
  const delay = metrics?.histogram({
    name: 'api_feed_delivery_seconds',
    help: 'Time from a change to its delivery to a reader that waits for changes',
    labels: [],
    buckets: BUCKETS_SECONDS,
  });
  return ({ changes }) => {
    const changedAt = changes.map(({ changed_at }) => Date.parse(changed_at));
    // The clock of the process that wrote the change may be ahead.
    if (changedAt.length > 0) delay?.observe(Math.max(0, (now().getTime() - Math.min(...changedAt)) / 1000));
  };
}
