"""Answers to `train_the_policy`: see answers.py."""

from mistakes import edited, wrong

RIGHT = [
    {  # classes, loops, DataLoader
        "make_network": """
class Network(nn.Module):
    def __init__(self, m, width):
        super().__init__()
        self.hidden = nn.Linear(m, width)
        self.output = nn.Linear(width, 1)

    def forward(self, x):
        return self.output(torch.relu(self.hidden(x))).squeeze(-1)


def make_network(m, width):
    return Network(m, width)
""",
        "greedy_choice": """
def greedy_choice(networks, contexts):
    best = []
    for row in contexts:
        x = torch.tensor(row).reshape(1, -1)
        predictions = [network(x).item() for network in networks]
        best.append(predictions.index(max(predictions)))
    return np.array(best)
""",
        "train_stage": """
def train_stage(network, contexts, rewards, epochs, batch_size, learning_rate, max_batches=None):
    from torch.utils.data import DataLoader, TensorDataset

    data = TensorDataset(torch.tensor(contexts), torch.tensor(rewards))
    loader = DataLoader(data, batch_size=batch_size, shuffle=True)
    optimizer = torch.optim.SGD(network.parameters(), lr=learning_rate)
    network.train()
    done = 0
    for epoch in range(epochs):
        for x, y in loader:
            if max_batches is not None and done >= max_batches:
                break
            loss = nn.MSELoss()(network(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            done += 1
    network.eval()
""",
        "mended_step": """
def mended_step(network, contexts, rewards, learning_rate):
    optimizer = torch.optim.SGD(network.parameters(), lr=learning_rate)
    optimizer.zero_grad()
    target = torch.tensor(rewards).unsqueeze(1)
    loss = nn.MSELoss()(network(torch.tensor(contexts)), target)
    loss.backward()
    optimizer.step()
    return loss.item()
""",
        "dead_units": """
def dead_units(network, contexts):
    count = 0
    weight, bias = network[0].weight.detach().numpy(), network[0].bias.detach().numpy()
    for w, b in zip(weight, bias):
        if np.all(contexts @ w + b <= 0):
            count += 1
    return count
""",
        "mended_descent": """
def mended_descent(network, contexts, rewards, learning_rate, steps):
    x, y = torch.tensor(contexts), torch.tensor(rewards).reshape(-1, 1)
    optimizer = torch.optim.SGD(network.parameters(), lr=learning_rate)
    for _ in range(steps):
        loss = nn.functional.mse_loss(network(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
""",
        "gradient_steps": """
def gradient_steps(sizes, batch_size, epochs, max_batches=None):
    sizes = np.asarray(sizes)
    steps = epochs * np.ceil(sizes / batch_size)
    if max_batches is not None:
        steps = np.minimum(steps, max_batches)
    return int(steps.sum())
""",
        "written": "Both end at the mean reward.",
    },
    {  # functional, by hand, vectorised
        "make_network": """
class Functional(nn.Module):
    def __init__(self, m, h):
        super().__init__()
        self.W = nn.Parameter(torch.randn(m, h) / math.sqrt(m))
        self.b = nn.Parameter(torch.rand(h) - 0.5)
        self.v = nn.Parameter(torch.randn(h) / math.sqrt(h))
        self.c = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return torch.clamp(x @ self.W + self.b, min=0) @ self.v + self.c


make_network = Functional
""",
        "greedy_choice": """
@torch.inference_mode()
def greedy_choice(networks, contexts):
    x = torch.as_tensor(contexts)
    return torch.argmax(torch.stack([f(x) for f in networks]), dim=0)
""",
        "train_stage": """
def train_stage(network, contexts, rewards, epochs, batch_size, learning_rate, max_batches=None):
    parameters = {name: p.detach().clone() for name, p in network.named_parameters()}
    order = [np.random.permutation(len(contexts)) for _ in range(epochs)]
    batches = [o[i : i + batch_size] for o in order for i in range(0, len(o), batch_size)]
    for batch in batches[:max_batches]:
        for p in parameters.values():
            p.requires_grad_(True)
        x, y = torch.from_numpy(contexts[batch]), torch.from_numpy(rewards[batch])
        error = torch.func.functional_call(network, parameters, (x,)) - y
        gradients = torch.autograd.grad(error @ error / len(batch), list(parameters.values()))
        parameters = {
            name: (p - learning_rate * g).detach()
            for (name, p), g in zip(parameters.items(), gradients)
        }
    network.load_state_dict(parameters, strict=False)
""",
        "mended_step": """
def mended_step(network, contexts, rewards, learning_rate):
    error = network(torch.from_numpy(contexts))[:, 0] - torch.from_numpy(rewards)
    loss = error.square().mean()
    parameters = list(network.parameters())
    for p, g in zip(parameters, torch.autograd.grad(loss, parameters)):
        p.data -= learning_rate * g
    return float(loss)
""",
        "dead_units": """
def dead_units(network, contexts):
    active = network[:2](torch.from_numpy(contexts)).max(dim=0).values > 0
    return (~active).sum()
""",
        "mended_descent": """
def mended_descent(network, contexts, rewards, learning_rate, steps):
    for _ in range(steps):
        for p in network.parameters():
            p.grad = None
        prediction = network(torch.from_numpy(contexts)).flatten()
        torch.mean((prediction - torch.from_numpy(rewards)) ** 2).backward()
        for p in network.parameters():
            p.data = p.data - learning_rate * p.grad
""",
        "gradient_steps": """
def gradient_steps(sizes, batch_size, epochs, max_batches=None):
    bound = math.inf if max_batches is None else max_batches
    return sum(min(bound, epochs * (-(-n // batch_size))) for n in sizes)
""",
    },
    {  # torch.func.grad, and everything at once
        "make_network": """
def make_network(m, width):
    network = nn.Sequential()
    network.add_module("hidden", nn.Linear(m, width))
    network.add_module("relu", nn.LeakyReLU(0.0))
    network.add_module("output", nn.Linear(width, 1))
    network.add_module("shape", nn.Flatten(start_dim=0))
    return network
""",
        "greedy_choice": """
def greedy_choice(networks, contexts):
    values = [f(torch.tensor(contexts)).detach().cpu().numpy() for f in networks]
    best, arms = values[0].copy(), np.zeros(len(contexts), dtype=int)
    for arm, value in enumerate(values):
        better = value > best
        best[better], arms[better] = value[better], arm
    return arms
""",
        "train_stage": """
def train_stage(network, contexts, rewards, epochs, batch_size, learning_rate, max_batches=None):
    x, y = torch.from_numpy(contexts), torch.from_numpy(rewards)

    def loss(parameters, x, y):
        return ((torch.func.functional_call(network, parameters, (x,)) - y) ** 2).mean()

    generator = torch.Generator().manual_seed(int(torch.randint(2**31, ())))
    left = math.inf if max_batches is None else max_batches
    for _ in range(epochs):
        shuffled = torch.randperm(len(y), generator=generator)
        for first in range(0, len(y), batch_size):
            if left == 0:
                return
            rows = shuffled[first : first + batch_size]
            now = {name: p.detach() for name, p in network.named_parameters()}
            gradients = torch.func.grad(loss)(now, x[rows], y[rows])
            with torch.no_grad():
                for name, p in network.named_parameters():
                    p.sub_(learning_rate * gradients[name])
            left -= 1
""",
        "mended_step": """
def mended_step(network, contexts, rewards, learning_rate):
    before = network(torch.tensor(contexts)).detach().numpy().ravel()
    leaves = [p.requires_grad_() for p in network.parameters()]
    for p, g in zip(leaves, torch.autograd.grad(_total(network, contexts, rewards), leaves)):
        p.data.add_(g, alpha=-learning_rate / len(rewards))
    return float(np.mean((before - rewards) ** 2))


def _total(network, contexts, rewards):
    samples = zip(torch.from_numpy(contexts).split(1), rewards)
    return sum((network(x)[0, 0] - float(y)) ** 2 for x, y in samples)
""",
        "dead_units": """
def dead_units(network, contexts):
    seen = []
    handle = network[1].register_forward_hook(lambda module, given, out: seen.append(out.detach()))
    network(torch.from_numpy(contexts))
    handle.remove()
    return int(np.sum(seen[0].numpy().sum(axis=0) == 0))
""",
        "mended_descent": """
def mended_descent(network, contexts, rewards, learning_rate, steps):
    optimizer = torch.optim.SGD(network.parameters(), lr=learning_rate)

    def closure():
        optimizer.zero_grad(set_to_none=False)
        loss = (network(torch.tensor(contexts)) - torch.tensor(rewards).view(-1, 1)).pow(2).mean()
        loss.backward()
        return loss

    for _ in range(steps):
        optimizer.step(closure)
""",
        "gradient_steps": """
def gradient_steps(sizes, batch_size, epochs, max_batches=None):
    count = 0
    for n in sizes:
        stage = 0
        for _ in range(epochs):
            for _ in range(0, n, batch_size):
                if max_batches is None or stage < max_batches:
                    stage += 1
        count += stage
    return count
""",
    },
]

STAGE = """
def train_stage(network, contexts, rewards, epochs, batch_size, learning_rate, max_batches=None):
    x, y = torch.from_numpy(contexts), torch.from_numpy(rewards)
    optimizer = torch.optim.SGD(network.parameters(), lr=learning_rate)
    batches = 0
    for _ in range(epochs):
        for batch in torch.randperm(len(x)).split(batch_size):
            if batches == max_batches:
                return
            optimizer.zero_grad()
            nn.functional.mse_loss(network(x[batch]), y[batch]).backward()
            optimizer.step()
            batches += 1
"""
LOSS = "nn.functional.mse_loss(network(x[batch]), y[batch])"

WRONG = [
    *wrong(
        "make_network",
        seen={
            "a column of predictions": """
def make_network(m, width):
    return nn.Sequential(nn.Linear(m, width), nn.ReLU(), nn.Linear(width, 1))
""",
            "no bias": """
def make_network(m, width):
    layers = nn.Linear(m, width, bias=False), nn.ReLU(), nn.Linear(width, 1), nn.Flatten(0)
    return nn.Sequential(*layers)
""",
        },
        hidden={
            "one context squeezed to a number": """
class Squeezed(nn.Sequential):
    def forward(self, x):
        return super().forward(x).squeeze()


def make_network(m, width):
    return Squeezed(nn.Linear(m, width), nn.ReLU(), nn.Linear(width, 1))
""",
            "another activation": """
def make_network(m, width):
    return nn.Sequential(nn.Linear(m, width), nn.Tanh(), nn.Linear(width, 1), nn.Flatten(0))
""",
            "no activation": """
def make_network(m, width):
    return nn.Sequential(nn.Linear(m, width), nn.Linear(width, 1), nn.Flatten(0))
""",
            "ReLU behind the output too": """
def make_network(m, width):
    layers = nn.Linear(m, width), nn.ReLU(), nn.Linear(width, 1), nn.ReLU(), nn.Flatten(0)
    return nn.Sequential(*layers)
""",
            "all weights 0": """
def make_network(m, width):
    network = nn.Sequential(nn.Linear(m, width), nn.ReLU(), nn.Linear(width, 1), nn.Flatten(0))
    for p in network.parameters():
        nn.init.zeros_(p)
    return network
""",
            "always the same weights": """
def make_network(m, width):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(m, width), nn.ReLU(), nn.Linear(width, 1), nn.Flatten(0))
""",
        },
    ),
    *wrong(
        "greedy_choice",
        seen={
            "the smallest prediction": """
def greedy_choice(networks, contexts):
    x = torch.from_numpy(contexts)
    return torch.stack([f(x) for f in networks]).argmin(dim=0).numpy()
""",
            "the best context of each arm": """
def greedy_choice(networks, contexts):
    x = torch.from_numpy(contexts)
    return torch.stack([f(x) for f in networks]).argmax(dim=1).numpy()
""",
            "the last of equal arms": """
def greedy_choice(networks, contexts):
    x = torch.from_numpy(contexts)
    values = torch.stack([f(x) for f in networks]).detach().numpy()
    return len(networks) - 1 - values[::-1].argmax(axis=0)
""",
        },
        hidden={
            "never below zero": """
def greedy_choice(networks, contexts):
    best, arms = np.zeros(len(contexts)), np.zeros(len(contexts), dtype=int)
    for arm, network in enumerate(networks):
        values = network(torch.from_numpy(contexts)).detach().numpy()
        arms[values > best] = arm
        best = np.maximum(best, values)
    return arms
""",
        },
    ),
    *wrong(
        "train_stage",
        seen={
            "zero_grad forgotten": edited(STAGE, "optimizer.zero_grad()", "pass"),
            "the sum instead of the mean": edited(
                STAGE, LOSS, "((network(x[batch]) - y[batch]) ** 2).sum()"
            ),
            "half the squared error": edited(
                STAGE, LOSS, "(0.5 * nn.functional.mse_loss(network(x[batch]), y[batch]))"
            ),
            "Adam": edited(STAGE, "SGD", "Adam"),
            "momentum": edited(STAGE, "lr=learning_rate", "lr=learning_rate, momentum=0.9"),
            "the bound counted in each epoch": edited(
                STAGE, "epochs):", "epochs):\n        batches = 0", "return", "break"
            ),
            "one batch too many": edited(
                STAGE, "if batches ==", "if max_batches is not None and batches >"
            ),
            "no bound": edited(STAGE, "if batches == max_batches:\n                return", "pass"),
        },
        hidden={
            "never shuffled": edited(STAGE, "randperm(len(x))", "arange(len(x))"),
            "shuffled once": edited(
                STAGE,
                "batches = 0",
                "batches, order = 0, torch.randperm(len(x))",
                "in torch.randperm(len(x))",
                "in order",
            ),
            "the last batch dropped": edited(
                STAGE, "split(batch_size)", "split(batch_size)[: max(1, len(x) // batch_size)]"
            ),
            "all samples in one batch": edited(STAGE, ".split(batch_size)", "[None]"),
            "one batch in each epoch": edited(STAGE, "split(batch_size)", "split(batch_size)[:1]"),
            "the loss broadcast to n x n": edited(
                STAGE, LOSS, "((network(x[batch])[:, None] - y[batch]) ** 2).mean()"
            ),
            "only the output layer": edited(
                STAGE, "network.parameters()", "list(network.parameters())[-2:]"
            ),
        },
    ),
    *wrong(
        "mended_step",
        seen={
            "the fault kept": "\nmended_step = faulty_step\n",
            "the loss after the step": """
def mended_step(network, contexts, rewards, learning_rate):
    x, y = torch.from_numpy(contexts), torch.from_numpy(rewards)[:, None]
    network.zero_grad()
    ((network(x) - y) ** 2).mean().backward()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter -= learning_rate * parameter.grad
    return ((network(x) - y) ** 2).mean().item()
""",
        },
        hidden={
            "the other fault put in": """
def mended_step(network, contexts, rewards, learning_rate):
    loss = ((network(torch.from_numpy(contexts))[:, 0] - torch.from_numpy(rewards)) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter -= learning_rate * parameter.grad
    return loss.item()
""",
        },
    ),
    *wrong(
        "dead_units",
        seen={
            "units that are 0 at some context": """
def dead_units(network, contexts):
    z = network[0](torch.from_numpy(contexts))
    return int((z <= 0).any(dim=0).sum())
""",
            "contexts counted instead of units": """
def dead_units(network, contexts):
    z = network[0](torch.from_numpy(contexts))
    return int((z <= 0).all(dim=1).sum())
""",
            "a share instead of a number": """
def dead_units(network, contexts):
    z = network[0](torch.from_numpy(contexts))
    return float((z <= 0).all(dim=0).float().mean())
""",
        },
        hidden={
            "only what is below 0": """
def dead_units(network, contexts):
    z = network[0](torch.from_numpy(contexts))
    return int((z < 0).all(dim=0).sum())
""",
        },
    ),
    *wrong(
        "mended_descent",
        seen={
            "the fault kept": "\nmended_descent = faulty_descent\n",
            "set to zero once": """
def mended_descent(network, contexts, rewards, learning_rate, steps):
    network.zero_grad()
    faulty_descent(network, contexts, rewards, learning_rate, steps)
""",
        },
        hidden={
            "broadcast": """
def mended_descent(network, contexts, rewards, learning_rate, steps):
    for _ in range(steps):
        faulty_step(network, contexts, rewards, learning_rate)
""",
        },
    ),
    *wrong(
        "gradient_steps",
        seen={
            "the bound for the whole run": """
def gradient_steps(sizes, batch_size, epochs, max_batches=None):
    total = sum(epochs * math.ceil(n / batch_size) for n in sizes)
    return total if max_batches is None else min(total, max_batches)
""",
        },
        hidden={
            "the last batch not counted": """
def gradient_steps(sizes, batch_size, epochs, max_batches=None):
    counts = [epochs * (n // batch_size) for n in sizes]
    return sum(c if max_batches is None else min(c, max_batches) for c in counts)
""",
            "epochs run together": """
def gradient_steps(sizes, batch_size, epochs, max_batches=None):
    counts = [math.ceil(epochs * n / batch_size) for n in sizes]
    return sum(c if max_batches is None else min(c, max_batches) for c in counts)
""",
        },
    ),
]
